package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Files says which files a command may use. All paths are absolute and free of symbolic
// links.
type Files struct {
	All      bool     // all can be written; the layer only keeps mounts as they are
	ReadOnly bool     // no file of /proc is written
	View     bool     // /dev and /proc are a sandbox's own, and mounts keep what is protected
	Write    []string // with all below
	Frozen   []string // in Write and not to be written
	Tmp      []string // as Write; a symbolic link is followed
	Sockets  []string // Unix sockets that may be connected to
	Hidden   []string // not to be read
	Shown    []string // below a hidden folder, and to be read all the same
}

// Rules returns the Landlock rules for the files. Landlock has no rule that takes a right
// away, so beside a hidden path reading is allowed folder by folder. What the command
// gets as its standard descriptors is not included: see Handed.
func (f Files) Rules() []Rule {
	rules := but(f.Hidden, "/", Rule{Rights: Read})
	for _, path := range f.Shown {
		rules = append(rules, but(f.Hidden, path, Rule{Rights: Read})...)
	}
	if f.All {
		return append(rules, Rule{Path: "/", Rights: ^uint64(Read)})
	}
	rules = append(rules, Rule{Path: "/", Rights: Look})
	whole := uint64(Write | Build | Connect)
	for _, path := range f.Write {
		frozen := f.Frozen
		if f.View {
			frozen = nil
		}
		rules = append(rules, but(frozen, path, Rule{Rights: whole, Plain: true})...)
	}
	for _, path := range append(slices.Clone(f.Tmp), "/dev/shm") {
		if path != "" {
			rules = append(rules, Rule{Path: path, Rights: whole})
		}
	}
	for _, path := range f.Sockets {
		rules = append(rules, Rule{Path: path, Rights: Connect})
	}
	for _, name := range Devices() {
		rules = append(rules, Rule{Path: "/dev/" + name, Rights: Read | Write | Device})
	}
	rules = append(rules, Rule{Path: "/dev/shm", Rights: Read})
	if !f.View {
		return rules
	}
	// The kernel opens a queue by a mount of its own, which no other rule reaches.
	rules = append(rules, Rule{Path: "/dev/mqueue", Rights: whole | Read},
		Rule{Path: "/dev/pts", Rights: Write | Device}, Rule{Path: "/dev/ptmx",
			Rights: Write | Device})
	if !f.ReadOnly {
		rules = append(rules, Rule{Path: "/proc", Rights: Write})
	}
	return rules
}

// Handed returns rules for the files that the caller gave as standard input and output,
// so that opening /dev/stderr works for them too. A terminal is the command's only if it
// is standard input.
func Handed() (rules []Rule) {
	var terminal uint64
	for fd := range 3 {
		var stat unix.Stat_t
		mode, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil || unix.Fstat(fd, &stat) != nil || stat.Mode&unix.S_IFMT == unix.S_IFDIR ||
			stat.Nlink == 0 {
			continue
		}
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
			if fd == 0 {
				terminal = stat.Rdev
			}
			if stat.Rdev != terminal {
				continue
			}
		}
		rights := uint64(Device)
		if mode&unix.O_ACCMODE != unix.O_WRONLY {
			rights |= Read
		}
		if mode&unix.O_ACCMODE != unix.O_RDONLY {
			rights |= Write
		}
		if kind := stat.Mode & unix.S_IFMT; kind == unix.S_IFREG || kind == unix.S_IFCHR {
			rules = append(rules, Rule{Fd: fd, Rights: rights})
		}
	}
	return rules
}

// but returns the rule for dir and all below it but for these paths. A right on a folder holds
// for everything below it, so the folders above such a path get no rule, and no new entries.
func but(except []string, dir string, rule Rule) (rules []Rule) {
	inside := slices.DeleteFunc(slices.Clone(except),
		func(path string) bool { return !Under(path, dir) })
	if rule.Path = dir; len(inside) == 0 {
		return []Rule{rule}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || slices.Contains(inside, dir) {
		return nil
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			rules = append(rules, but(inside, filepath.Join(dir, e.Name()), rule)...)
		}
	}
	return rules
}

// OpenPath opens a clean path that was resolved before, with O_PATH and the flags. It
// fails with ELOOP if a symbolic link is in it, since another command that may write a
// folder on the way could have put one there. With O_NOFOLLOW the path itself may be a
// link. In a sandbox of ours openat2(2) is refused, and the path is walked name by name.
func OpenPath(path string, flags int) (int, error) {
	flags |= unix.O_PATH | unix.O_CLOEXEC
	fd, err := unix.Openat2(unix.AT_FDCWD, path,
		&unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == unix.ENOSYS {
		return walk(path, flags)
	}
	return fd, err
}

// walk opens each folder of the path from the one before it.
func walk(path string, flags int) (int, error) {
	at := unix.AT_FDCWD
	if rest, ok := strings.CutPrefix(path, "/"); ok {
		root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil || rest == "" {
			return root, err
		}
		at, path = root, rest
	}
	dir, name := filepath.Split(path)
	for folder := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if folder == "" {
			continue
		}
		next, err := step(at, folder, unix.O_PATH|unix.O_CLOEXEC)
		if at = leave(at, next); err != nil {
			return -1, err
		}
	}
	fd, err := step(at, name, flags)
	leave(at, fd)
	return fd, err
}

// step opens a name in a folder. A symbolic link is an error, unless the flags ask for
// it.
func step(at int, name string, flags int) (int, error) {
	fd, err := unix.Openat(at, name, flags|unix.O_NOFOLLOW, 0)
	if err != nil || flags&unix.O_NOFOLLOW != 0 {
		return fd, err
	}
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		err = unix.ELOOP
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// leave closes the folder from which next was opened, and returns next.
func leave(at, next int) int {
	if at != unix.AT_FDCWD {
		unix.Close(at)
	}
	return next
}
