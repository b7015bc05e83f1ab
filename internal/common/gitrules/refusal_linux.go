package gitrules

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"errors"
	"io/fs"
	"iter"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
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

// Trees returns what is said of the working trees of a git folder's config: only a
// submodule's lies elsewhere than around it. A link could take the place of that later.
func (inside Inside) Trees(module bool) Inside {
	if module {
		return inside
	}
	return func(tree string) bool { return path.Clean(tree) == ".." }
}

// of returns what is said of trees that are relative to a part of the git folder.
func (inside Inside) of(part string) Inside {
	return func(tree string) bool {
		if !path.IsAbs(tree) {
			tree = path.Join(part, tree)
		}
		return inside(tree)
	}
}

// rules are what the text of a file is judged by.
type rules struct {
	inside Inside
	module bool // the git folder is a submodule's
	size   int  // of the names of its objects
}

// judge says why what now has at a path that controls names may not take the place of what
// before has there, or returns "". before is nil for a new repository.
func judge(before, now *tree.Root, name string, r rules) (why string) {
	kind, most := kindIn(name), int64(maxIndex)
	switch kind {
	case Config, Pointer, Todo, Options:
		most = maxText
	}
	text, err := now.At(name).Read(most)
	old := read(before, name, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "" // Gone is harmless: git has a default for each.
	case err != nil:
		return tree.Cause(err).Error()
	case old != nil && bytes.Equal(old, text):
		return ""
	case kind == Ref: // of git-replace(1)
		return replacement
	case kind == PackedRefs:
		for line := range newLines(old, text) {
			if hash, ref, _ := strings.Cut(strings.TrimSpace(line), " "); isReplacement(ref) &&
				hash != strings.TrimSpace(string(read(before, ref, most))) {
				return replacement
			}
		}
		return ""
	}
	return content(kind, name, old, text, r)
}

// newLines yields the lines of a text that the old one does not have.
func newLines(old, text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		had := map[string]bool{}
		for line := range strings.Lines(string(old)) {
			had[line] = true
		}
		for line := range strings.Lines(string(text)) {
			if !had[line] && !yield(line) {
				return
			}
		}
	}
}

// replacement is why no new ref of git-replace(1) may stay: like info/grafts it has git show
// another object in the place of one.
const replacement = "git would show another object in the place of one"

// isReplacement reports whether a ref is one of git-replace(1).
func isReplacement(ref string) bool { return strings.HasPrefix(ref, "refs/replace/") }

// content says why the new text of a file may not take the place of the old one.
func content(kind Kind, name string, old, text []byte, r rules) string {
	switch kind {
	case Hooks:
		if strings.HasSuffix(name, ".sample") {
			return ""
		}
		return "a hook"
	case Unknown:
		return "nothing that git writes"
	case Config:
		if name != "config" && old == nil {
			old = []byte{} // of a repository that has its format
		}
		key, err := New(old, text, r.inside.Trees(r.module))
		if err != nil {
			return err.Error()
		}
		return key
	case Todo:
		why, _ := TodoLines(text)
		return why
	case Options:
		return runs(name, text)
	case Index:
		if _, err := readIndex(text, r.size, func(_, _ []byte) {}); err != nil {
			return err.Error()
		}
		return ""
	}
	line := strings.TrimSpace(string(text))
	if name == "commondir" && line == "../.." || name == "gitdir" && old == nil &&
		path.Base(line) == ".git" && r.inside(path.Dir(line)) {
		return "" // as git makes them for a linked worktree
	}
	return "it leads git to other files"
}

// A Look bounds how much is looked at in many git folders. The zero value bounds nothing.
type Look struct {
	Since unix.Timespec // files that have not changed since are left out
	Most  int64         // bytes that are read of all files, each inode counted once; 0 for any

	Module bool // the git folder is a submodule's, or one that a .git leads to
	seen   map[inode]string
	read   int64
	rules  // of the git folder that is looked at
}

// An inode tells a file from others.
type inode struct{ dev, ino uint64 }

// ErrMost is the error for git folders that hold more than may be read.
var ErrMost = errors.New("there is more in it than is looked at")

// Parts are the folders of a git folder with what git obeys.
var Parts = []string{".", "hooks", "info", "objects/info", "refs/replace", "rebase-merge",
	"rebase-apply", "sequencer"}

// controls returns the paths of what git obeys in one git folder. A link in the place of a folder
// that holds such files is one itself.
func controls(d *tree.Root) (names []string, err error) {
	for _, dir := range Parts {
		all, why := d.At(dir).Some(maxNames)
		if dir == "." {
			err = why
		} else if why != nil && !errors.Is(why, fs.ErrNotExist) {
			top, _, _ := strings.Cut(dir, "/")
			names = append(names, top)
		}
		for _, name := range all {
			switch name = path.Join(dir, name); kindIn(name) {
			case Config, Index, PackedRefs, Todo, Options, Pointer:
				if name == "gitdir" && has(d, "objects") || strings.HasSuffix(name, ".backup") {
					continue
				}
			case Hooks:
				if dir == "." || strings.Contains(name, ".") { // no hook of git's has one in its name
					continue
				}
			case Ref:
				if !isReplacement(name) {
					continue
				}
			default:
				continue
			}
			names = append(names, name)
		}
	}
	return names, err
}

// Whole returns what may not stay of all that makes git run a program or obey another folder
// in a git folder, of its modules and of its linked worktrees, compared with what before
// holds, which is nil if the repository is new. An error means that not all was looked at.
func (l *Look) Whole(before, now *tree.Root, inside Inside) (list []Refusal, err error) {
	l.rules = rules{inside, l.Module, 0}
	return l.whole(before, now)
}

// whole looks at one git folder and those in it.
func (l *Look) whole(before, now *tree.Root) (list []Refusal, err error) {
	l.size = cmp.Or(sizeIn(now, ""), sizeIn(before, ""), l.size, sha1.Size)
	names, err := controls(now)
	for _, name := range names {
		why, err2 := l.change(before, now, name)
		err = errors.Join(err, err2)
		if why != "" {
			list = append(list, Refusal{name, why})
		}
	}
	parts, err2 := parts(now)
	err = errors.Join(err, err2)
	for _, part := range parts {
		sub, err2 := now.Sub(part)
		if err2 != nil {
			if !tree.Gone(err2) {
				err = errors.Join(err, err2)
			}
			continue
		}
		var old *tree.Root
		if before != nil {
			old, _ = before.Sub(part)
		}
		outer := l.rules
		l.module = strings.HasPrefix(part, "modules/")
		l.inside = outer.inside.of(part)
		found, err2 := l.whole(old, sub)
		l.rules = outer
		err = errors.Join(err, err2)
		for _, r := range found {
			list = append(list, Refusal{part + "/" + r.Path, r.Why})
		}
		sub.Close()
		old.Close()
	}
	return list, err
}

// change says why what is at a path may not stay. A file with many names is read once.
func (l *Look) change(before, now *tree.Root, name string) (string, error) {
	f, err := now.At(name).Lstat()
	if err != nil || f == nil || int64(f.Ctime) < l.Since.Nano() {
		return "", nil
	}
	file := inode{f.Dev, f.Ino}
	why, seen := l.seen[file]
	if seen && kindIn(name) == Index {
		return why, nil
	}
	if !seen && f.Type == tree.Regular {
		if l.read += min(f.Size, maxIndex); l.Most > 0 && l.read > l.Most {
			return "", ErrMost
		}
	}
	why = judge(before, now, name, l.rules)
	if l.seen == nil {
		l.seen = map[inode]string{}
	}
	l.seen[file] = why
	return why, nil
}

// sizeIn returns the size of the names of objects by a git folder's config, 0 without one. An
// index is read by it: one text can be an index of either size, with other paths.
func sizeIn(d *tree.Root, owner string) int {
	text := read(d, owner+"config", maxText)
	if text == nil {
		return 0
	}
	list, _ := Settings(text)
	return sizeBy(list)
}

// parts returns the git folders of linked worktrees and modules in a git folder.
func parts(d *tree.Root) (list []string, err error) {
	ids, err := d.At("worktrees").Some(maxNames)
	if tree.Gone(err) {
		err = nil
	}
	for _, id := range ids {
		list = append(list, "worktrees/"+id)
	}
	queue := []string{"modules"}
	for ; len(queue) > 0; queue = queue[1:] {
		names, err2 := d.At(queue[0]).Some(maxNames)
		if err2 != nil && !tree.Gone(err2) {
			err = errors.Join(err, err2)
		}
		for _, name := range names {
			at := queue[0] + "/" + name
			if has(d, at+"/HEAD") {
				list = append(list, at)
			} else if isFolder(d, at) && strings.Count(at, "/") < maxNested {
				queue = append(queue, at)
			}
		}
	}
	return list, err
}
