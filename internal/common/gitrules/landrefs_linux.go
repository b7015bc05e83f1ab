package gitrules

import (
	"encoding/hex"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// common returns where the refs and objects of a git folder are.
func (l *Landing) common(owner string) string {
	if has(l.Lower, owner+"commondir") || has(l.upper, owner+"commondir") { // of a linked worktree
		return strings.TrimPrefix(path.Join(owner, "../..")+"/", "./")
	}
	return owner
}

// store returns the objects to which the refs of a git folder lead.
func (l *Landing) store(owner string) *store {
	owner = l.common(owner)
	if s, ok := l.stores[owner]; ok {
		return s
	}
	folder, err := l.Lower.Sub(owner + "objects")
	if err != nil {
		return nil
	}
	l.stores[owner] = &store{folder: folder, packs: map[string]packIndex{}}
	return l.stores[owner]
}

// refs lands refs in an order in which no commit is without one meanwhile: new values, then
// HEAD, which may lead to a new one, then packed refs, and then what is gone. A ref in the place
// of a folder with others, or below another one's name, has to wait for that.
func (l *Landing) refs(list []change) {
	var first, heads, gone, later []change
	for _, c := range list {
		switch {
		case c.kind != Ref:
		case c.gone:
			gone = append(gone, c)
		case l.inTheWay(c.name):
			later = append(later, c)
		case c.in() == "HEAD":
			heads = append(heads, c)
		default:
			first = append(first, c)
		}
	}
	if len(later) > 0 {
		later, heads = append(later, heads...), nil
	}
	for _, c := range append(first, heads...) {
		l.ref(c)
	}
	if l.packedRefs(list) {
		for _, c := range gone {
			l.removeRef(c)
		}
	}
	for _, c := range later {
		l.ref(c)
	}
}

// inTheWay reports whether a ref can't be made because of others' names: something is at its
// path that is no file, or something on the way to it is one.
func (l *Landing) inTheWay(name string) bool {
	if isFolder(l.Lower, name) {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if has(l.Lower, dir) {
			return !isFolder(l.Lower, dir)
		}
	}
	return false
}

// ref lands a ref, once what it leads to has landed.
func (l *Landing) ref(c change) {
	text, err := l.upper.At(c.name).Read(4096)
	if err != nil {
		l.refuse(c.name, tree.Cause(err).Error())
		return
	}
	value := strings.TrimSpace(string(text))
	to, symbolic := strings.CutPrefix(value, "ref: ")
	at := l.common(c.owner) + to
	switch {
	case isReplacement(c.in()):
		l.refuse(c.name, replacement)
	case symbolic && (!strings.HasPrefix(to, "refs/") || len(strings.Fields(to)) != 1 ||
		slices.Contains(strings.Split(to, "/"), "..")):
		l.refuse(c.name, "it leads out of the refs")
	case symbolic && has(l.upper, at) && !has(l.Lower, at) && !l.whitedOut(at):
		l.refuse(c.name, "the ref that it leads to was refused")
	case !symbolic && (!isHash(value) || !l.store(c.owner).has(value)):
		l.refuse(c.name, "it leads to no object that is here")
	default:
		l.write(c, []byte(value+"\n"))
	}
}

// whitedOut reports whether the upper folder says that a path is gone.
func (l *Landing) whitedOut(name string) bool {
	f, err := l.upper.At(name).Lstat()
	return err == nil && f.Whiteout()
}

// removeEmpty removes a folder if nothing but folders is in it.
func removeEmpty(p tree.Place) {
	names, err := p.Some(maxNames)
	if err != nil {
		return
	}
	for _, name := range names {
		removeEmpty(p.Join(name))
	}
	_ = p.Rmdir()
}

// removeRef removes a ref.
func (l *Landing) removeRef(c change) {
	if c.in() == "HEAD" && !c.with {
		l.refuse(c.name, "without it git has no repository")
		return
	}
	err := withLock(l.Lower, c.name, func(at, _ tree.Place, _ *os.File) error {
		if l.changedOutside(c.name) || l.packedOutside(c) {
			return errors.New(conflict)
		}
		return at.Unlink()
	})
	if err != nil && !errors.Is(err, unix.ENOENT) {
		l.refuse(c.name, tree.Cause(err).Error())
	}
}

// packedRefs lands the file of packed refs, if it has changed, and reports whether the refs
// that have gone into it, or are gone, may be removed.
func (l *Landing) packedRefs(list []change) bool {
	ok := true
	for _, c := range list {
		if c.kind != PackedRefs {
			continue
		}
		before := len(l.refused)
		if c.gone {
			l.text(c)
		} else if text, err := l.upper.At(c.name).Read(maxIndex); err != nil {
			l.refuse(c.name, tree.Cause(err).Error())
		} else if why := l.packed(c, text); why != "" {
			l.refuse(c.name, why)
		} else {
			l.write(c, text)
		}
		ok = ok && len(l.refused) == before
	}
	for _, r := range l.refused {
		ok = ok && path.Base(r.Path) != "packed-refs"
	}
	return ok
}

// packed says why the text of packed refs may not land: each line that it did not have before
// has to name an object that is there.
func (l *Landing) packed(c change, text []byte) string {
	for line := range newLines(read(l.Lower, c.name, maxIndex), text) {
		if line[0] == '#' {
			continue
		}
		value, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if isReplacement(name) && value != strings.TrimSpace(string(read(l.Lower, c.owner+name, 4096))) {
			return replacement
		}
		peeled := strings.TrimPrefix(value, "^")
		if !isHash(peeled) || peeled == value && !strings.HasPrefix(name, "refs/") ||
			!l.store(c.owner).has(peeled) {
			return "it leads to no object that is here"
		}
	}
	return ""
}

// replaced removes objects and packs that git has packed anew: only what is whole in packs
// that have landed. What git can make again goes as it went inside.
func (l *Landing) replaced(c change) {
	if !c.gone {
		return
	}
	switch {
	case c.with, c.kind == Derived:
		_ = l.Lower.At(c.name).Unlink()
	case c.kind == Object:
		hash := strings.ReplaceAll(c.in()[len("objects/"):], "/", "")
		if s := l.store(c.owner); s != nil && s.packed(rawName(hash), "") {
			_ = l.Lower.At(c.name).Unlink()
		}
	case strings.HasSuffix(c.name, ".pack"):
		l.replacedPack(c)
	}
}

// replacedPack removes a pack, with all that belongs to it, if other packs have its objects.
func (l *Landing) replacedPack(c change) {
	stem := strings.TrimSuffix(c.name, ".pack")
	s := l.store(c.owner)
	if s == nil || has(l.Lower, stem+".keep") {
		return
	}
	own := path.Base(stem) + ".idx"
	size := 20
	if len(own) > 64 {
		size = 32
	}
	s.read(size)
	x, ok := s.packs[own]
	if !ok {
		return
	}
	for at := range x.n {
		if name := x.name(at); name == nil || !s.packed(name, own) {
			return
		}
	}
	delete(s.packs, own)
	x.file.Close()
	for _, end := range packParts {
		_ = l.Lower.At(stem + end).Unlink()
	}
}

// passing are the folders that are in a git folder as long as something is in them: by some of
// them git sees that a rebase is not over.
var passing = []string{"rebase-merge", "rebase-apply", "sequencer", "worktrees", "modules"}

// prune removes folders that are empty since refs, logs or whole git folders are gone.
func (l *Landing) prune(list []change) {
	for _, c := range slices.Backward(list) {
		if !c.gone {
			continue
		}
		for dir := path.Dir(c.name); strings.Contains(dir, "/") ||
			slices.Contains(passing, dir); dir = path.Dir(dir) {
			if dir == c.owner+"refs/heads" || dir == c.owner+"refs/tags" || dir == c.owner+"refs" ||
				dir == c.owner+"objects" || dir == c.owner+"objects/pack" {
				break
			}
			if err := l.Lower.At(dir).Rmdir(); err != nil && !tree.Gone(err) {
				break
			}
		}
	}
}

// rawName returns the bytes of an object's name.
func rawName(hash string) []byte {
	raw, _ := hex.DecodeString(hash)
	return raw
}
