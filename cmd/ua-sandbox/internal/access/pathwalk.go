package access

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"ua/internal/common/safefile"
)

// maxText is how many bytes of a settings file are read.
const maxText = 1 << 20

// listMax is how many names of a folder are looked at. Reading more takes longer than
// asking for each path that counts.
const listMax = 500

// A tree remembers what was looked at while a policy is resolved. Most of the well-known
// names lie in a few folders, many of which do not exist.
type tree struct {
	targets map[string]target
	names   map[string]map[string]bool // in a folder that was listed, in small letters
}

// A kind says what is at a path, without following a link.
type kind int

const (
	// The zero value, so that a kind which was not looked at is none.
	nothing kind = iota
	other        // a file, a socket, a device, a pipe
	folder
	link
)

// A target is where a path leads without symbolic links, or why it leads nowhere.
type target struct {
	path  string
	err   error
	kind  kind     // of the path itself, which may be a link that leads nowhere
	links []string // on the way, each in a folder without any
}

// kind returns what is at path.
func (t *tree) kind(path string) kind { return t.target(path).kind }

// list reads the names in a folder, if they are few. Of some hundred well-known names in
// a home most do not exist, and each would cost a call.
func (t *tree) list(dir string) {
	if _, listed := t.names[dir]; listed {
		return
	}
	f, err := openFolder(dir)
	if err != nil {
		return
	}
	defer f.Close()
	list, err := f.Readdirnames(listMax)
	if err != nil && err != io.EOF || len(list) == listMax {
		return
	}
	names := make(map[string]bool, len(list))
	for _, name := range list {
		names[folded(name)] = true
	}
	if t.names == nil {
		t.names = map[string]map[string]bool{}
	}
	t.names[dir] = names
}

// openFolder opens a folder to list it, without Go's poller, which takes as long as the list.
func openFolder(dir string) (*os.File, error) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// mayHold reports whether something can be at path. It is false only if the folder was
// listed and has the name in no case.
func (t *tree) mayHold(path string) bool {
	slash := max(strings.LastIndexByte(path, '/'), 0)
	names, listed := t.names[path[:slash]]
	return !listed || names[folded(path[slash+1:])]
}

// folded returns a name as some file systems compare names: without case (casefold of
// ext4, APFS). Going through upper case also folds letters that only resemble small ones.
func folded(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return strings.ToLower(strings.ToUpper(name))
		}
	}
	return name // as nearly all are
}

// lstat returns what is at path, without following a link.
func lstat(path string) (kind, error) {
	var stat syscall.Stat_t // os.Lstat costs twice the call
	err := syscall.Lstat(path, &stat)
	for err == syscall.EINTR {
		err = syscall.Lstat(path, &stat)
	}
	switch {
	case err != nil:
		return nothing, err
	case stat.Mode&syscall.S_IFMT == syscall.S_IFDIR:
		return folder, nil
	case stat.Mode&syscall.S_IFMT == syscall.S_IFLNK:
		return link, nil
	}
	return other, nil
}

// walk reports whether path exists, and returns the first symbolic link on its way below
// the folder from.
func (t *tree) walk(path, from string) (first string, ok bool) {
	to, above := t.target(path), t.target(from)
	if to.err == nil && len(to.links) > len(above.links) {
		first = to.links[len(above.links)]
	}
	return first, to.err == nil
}

// existing returns where path leads, without symbolic links, as filepath.EvalSymlinks
// does. Each folder on the way is looked at only once.
func (t *tree) existing(path string) (string, error) {
	to := t.target(Absolute(path))
	return to.path, to.err
}

// realOr returns existing, or the path itself if it leads nowhere.
func (t *tree) realOr(path string) string {
	if real, err := t.existing(path); err == nil {
		return real
	}
	return Absolute(path)
}

// target returns where an absolute, clean path leads. What a list of names lacks, or lies below
// what is not there, is not remembered once more.
func (t *tree) target(path string) target {
	if path == "/" {
		return target{path: path, kind: folder}
	}
	if to, known := t.targets[path]; known {
		return to
	}
	slash := strings.LastIndexByte(path, '/')
	to := t.target(path[:max(slash, 1)])
	if to.err != nil {
		to.kind = nothing
		return to
	}
	before, real := to.links, path
	if to.path != path[:slash] {
		real = filepath.Join(to.path, path[slash+1:])
	}
	if !t.mayHold(real) {
		return target{err: syscall.ENOENT, links: before}
	}
	to = t.step(real)
	to.links = slices.Concat(before, to.links)
	if t.targets == nil {
		t.targets = map[string]target{}
	}
	t.targets[path] = to
	return to
}

// step returns where a path leads whose folder has no symbolic links.
func (t *tree) step(path string) target {
	k, err := lstat(path)
	switch {
	case err != nil:
		return target{err: err}
	case k != link:
		return target{path: path, kind: k}
	}
	links, end := chain(path)
	var stat syscall.Stat_t
	if err = syscall.Stat(path, &stat); err != nil {
		end = ""
	}
	return target{end, err, k, links}
}

// links returns the symbolic links on the way to path, which need not exist.
func (t *tree) links(path string) []string { return t.target(Absolute(path)).links }

// chain returns a symbolic link, whose folder has none on its way, and those to which it
// leads. end is where they lead, though nothing may be there, and "" for a circle.
func chain(path string) (links []string, end string) {
	end = safefile.Walk(filepath.Dir(path), filepath.Base(path), func(path string) string {
		to, _ := os.Readlink(path)
		return to
	}, func(_, link string) bool {
		if link != "" && !slices.Contains(links, link) {
			links = append(links, link)
		}
		return true
	})
	return links, end
}

// Absolute returns path as an absolute path, with ~ for the user's home.
func Absolute(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(home(), path[1:])
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// home returns the user's home, or / without one.
func home() string {
	if h, err := os.UserHomeDir(); err == nil && filepath.IsAbs(h) {
		return filepath.Clean(h)
	}
	return "/"
}

// readText returns the text of a settings file, and an error if it is not a regular file.
func readText(path string) (string, error) {
	text, err := safefile.Read(safefile.Follow(path), maxText)
	return string(text), err
}

// line returns the first line of a small file, or "".
func line(path string) string {
	text, err := safefile.Read(path, 8192)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}
