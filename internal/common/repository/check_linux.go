package repository

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of what is read of a git folder.
const (
	maxText   = 1 << 20   // bytes of a config and other settings
	maxIndex  = 512 << 20 // bytes of an index
	maxNames  = 10_000    // names in one folder
	maxNested = 8         // modules in modules, and slashes in their names
)

// A Refusal is a change that may not stay, by its path in the git folder, and why.
type Refusal struct{ Path, Why string }

// Inside is given the working tree of a repository as its settings name it, which may be
// relative to the git folder, and reports whether that lies where the command may write.
type Inside func(tree string) bool

// Change says why what now has at a path of the git folder may not take the place of what
// before has there, or returns "". before is nil for a new repository. Refs, objects and
// packs are not looked into: see Objects.
func Change(before, now *Folder, name string, inside Inside) (why string) {
	own := func(dir string) bool { return now.has(dir + "/HEAD") }
	kind, owner := KindOf(name, own)
	switch kind {
	case Hooks:
		if strings.HasSuffix(name, ".sample") || same(before, now, name) {
			return ""
		}
		return "a hook"
	case Pointer, Config, Todo, Index, PackedRefs:
	case Ref:
		if isReplacement(strings.TrimPrefix(name, owner)) && now.has(name) && !same(before, now, name) {
			return replacement
		}
		return plain(now, name)
	case Unknown:
		return "nothing that git writes"
	default:
		return plain(now, name)
	}
	most := int64(maxText)
	if kind == Index || kind == PackedRefs {
		most = maxIndex
	}
	text, err := now.Read(name, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "" // Gone is harmless: git has a default for each.
	case err != nil:
		return err.Error()
	}
	old := read(before, name, most)
	if old != nil && bytes.Equal(old, text) {
		return ""
	}
	if kind == PackedRefs {
		for line := range strings.Lines(string(text)) {
			hash, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
			if isReplacement(ref) && !bytes.Contains(old, []byte(line)) &&
				hash != strings.TrimSpace(string(read(before, owner+ref, most))) {
				return replacement
			}
		}
		return ""
	}
	return content(kind, strings.TrimPrefix(name, owner), old, text, inside)
}

// replacement is why no new ref of git-replace(1) may stay: like info/grafts it has git show
// another object in the place of one.
const replacement = "git would show another object in the place of one"

// isReplacement reports whether a ref is one of git-replace(1).
func isReplacement(ref string) bool { return strings.HasPrefix(ref, "refs/replace/") }

// content says why the new text of a file may not take the place of the old one.
func content(kind Kind, name string, old, text []byte, inside Inside) string {
	switch kind {
	case Config:
		key, err := New(old, text, inside)
		if err != nil {
			return err.Error()
		}
		return key
	case Todo:
		return todo(text)
	case Index:
		if err := CheckIndex(text); err != nil {
			return err.Error()
		}
		return ""
	}
	line := strings.TrimSpace(string(text))
	if name == "commondir" && line == "../.." || name == "gitdir" && old == nil &&
		path.Base(line) == ".git" && inside(path.Dir(line)) {
		return "" // as git makes them for a linked worktree
	}
	return "it leads git to other files"
}

// plain says that what is at a path is no plain file, or returns "".
func plain(now *Folder, name string) string {
	stat, err := now.Stat(name)
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return errKind.Error()
	}
	return ""
}

// read returns the text of a file, or nil.
func read(d *Folder, name string, most int64) []byte {
	if d == nil {
		return nil
	}
	text, err := d.Read(name, most)
	if err != nil {
		return nil
	}
	return text
}

// same reports whether both have the same file at a path.
func same(before, now *Folder, name string) bool {
	old, text := read(before, name, maxIndex), read(now, name, maxIndex)
	return old != nil && text != nil && bytes.Equal(old, text)
}

// Whole returns what may not stay of all that makes git run a program or obey another folder
// in a git folder, of its modules and of its linked worktrees, compared with what before
// holds, which is nil if the repository is new. An error means that not all was looked at.
func Whole(before, now *Folder, inside Inside) (list []Refusal, err error) {
	names := []string{"config", "config.worktree", "commondir", "info/attributes", "info/grafts",
		"objects/info/alternates", "objects/info/http-alternates", "index",
		"rebase-merge/git-rebase-todo", "sequencer/todo", "packed-refs"}
	if !now.has("objects") {
		names = append(names, "gitdir")
	}
	hooks, err := now.Names("hooks", maxNames)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		list = append(list, Refusal{"hooks", err.Error()})
		err = nil
	}
	for _, name := range hooks {
		if !strings.Contains(name, ".") { // no hook of git's has one in its name
			names = append(names, "hooks/"+name)
		}
	}
	replacements, err := now.Names("refs/replace", maxNames)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		list = append(list, Refusal{"refs/replace", err.Error()})
	}
	for _, name := range replacements {
		names = append(names, "refs/replace/"+name)
	}
	for _, name := range names {
		if why := Change(before, now, name, inside); why != "" && now.has(name) {
			list = append(list, Refusal{name, why})
		}
	}
	parts, err := parts(now)
	for _, part := range parts {
		sub, err2 := now.Sub(part)
		if err2 != nil {
			err = errors.Join(err, err2)
			continue
		}
		var old *Folder
		if before != nil {
			old, _ = before.Sub(part)
		}
		in := func(tree string) bool {
			if !path.IsAbs(tree) {
				tree = path.Join(part, tree)
			}
			return inside(tree)
		}
		found, err2 := Whole(old, sub, in)
		err = errors.Join(err, err2)
		for _, r := range found {
			list = append(list, Refusal{part + "/" + r.Path, r.Why})
		}
		sub.Close()
		old.Close()
	}
	return list, err
}

// parts returns the git folders of linked worktrees and modules in a git folder.
func parts(d *Folder) (list []string, err error) {
	ids, err := d.Names("worktrees", maxNames)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, id := range ids {
		list = append(list, "worktrees/"+id)
	}
	queue := []string{"modules"}
	for ; len(queue) > 0; queue = queue[1:] {
		names, err2 := d.Names(queue[0], maxNames)
		if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
			err = errors.Join(err, err2)
		}
		for _, name := range names {
			at := queue[0] + "/" + name
			if d.has(at + "/HEAD") {
				list = append(list, at)
			} else if stat, err := d.Stat(at); err == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR &&
				strings.Count(at, "/") < maxNested {
				queue = append(queue, at)
			}
		}
	}
	return list, err
}
