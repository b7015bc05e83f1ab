package syscalls

import (
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
	"ua/internal/common/tree"
)

// A folder is one that is about to be renamed and has to be prepared for it.
type folder struct {
	fd     int // of the folder, as the caller sees it
	parent int
	name   string
}

// close closes the folder's descriptors.
func (f *folder) close() {
	unix.Close(f.fd)
	unix.Close(f.parent)
}

// folders returns what has to be prepared for a rename: the folder that it renames, and
// the one that this changes places with.
func (s *server) folders(n *notif, names [2]named) (list []*folder) {
	flags := n.renameFlags()
	add := func(old, new named) {
		if f := s.folder(int(n.pid), old); f == nil {
			return
		} else if f.refused(int(n.pid), new, flags) {
			f.close()
		} else {
			list = append(list, f)
		}
	}
	add(names[0], names[1])
	if flags&unix.RENAME_EXCHANGE != 0 {
		add(names[1], names[0])
	}
	return list
}

// folder returns the folder that a process names, nil unless it belongs to a lower layer
// and can be renamed by that name.
func (s *server) folder(pid int, n named) *folder {
	if _, last := split(n.path); !isName(last) {
		return nil
	}
	at := openAs(pid, n.fd, strings.TrimRight(n.path, "/"), unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if at < 0 {
		return nil // no folder: nothing to prepare
	}
	f := &folder{fd: at, parent: -1}
	if !s.inLowerLayer(f) {
		f.close()
		return nil
	}
	return f
}

// inLowerLayer reports whether the kernel refuses to rename a folder because the lower layer has
// a part in it. It also sets the folder's parent and name.
func (s *server) inLowerLayer(f *folder) bool {
	c, rel := s.inCover(f.fd)
	if c == nil || rel == "." || !below(c.Layers, rel) {
		return false
	}
	var st, fromName unix.Stat_t
	var err error
	f.name = path.Base(rel)
	if f.parent, err = unix.Openat(f.fd, "..", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC,
		0); err != nil {
		return false
	}
	// The name may be another file's by now.
	return unix.Fstat(f.fd, &st) == nil &&
		unix.Fstatat(f.parent, f.name, &fromName, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		fromName.Ino == st.Ino && fromName.Dev == st.Dev
}

// below reports whether the lower layer has a part in a folder of the view.
func below(l tree.Layers, rel string) bool {
	f, err := l.Lower.At(rel).Lstat()
	if err != nil || !f.IsFolder() {
		return false
	}
	for ; rel != "."; rel = path.Dir(rel) {
		if l.Opaque(rel) {
			return false
		}
	}
	return true
}

// A rename that the kernel refuses anyway must not have its folder made anew
// first: a process that works in the folder would lose it.

// refused reports whether the kernel refuses the rename for reasons that have nothing to
// do with overlays (rename(2), ERRORS).
func (f *folder) refused(pid int, to named, flags uint64) bool {
	dir, last := split(to.path)
	if !isName(last) {
		return true
	}
	parent := openAs(pid, to.fd, dir, unix.O_DIRECTORY)
	if parent < 0 {
		return true
	}
	defer unix.Close(parent)
	var own, above, target unix.Stat_t
	if unix.Fstat(f.fd, &own) != nil || unix.Fstat(parent, &above) != nil || own.Dev != above.Dev ||
		!writable(f.parent) || !writable(parent) || within(parent, f.fd) {
		return true
	}
	err := unix.Fstatat(parent, last, &target, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err != nil:
		return flags&unix.RENAME_EXCHANGE != 0
	case flags&unix.RENAME_NOREPLACE != 0, target.Ino == own.Ino && target.Dev == own.Dev:
		return true
	case flags&unix.RENAME_EXCHANGE != 0:
		return false
	}
	at, err := unix.Openat2(parent, last, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return true // no folder, or a mount
	}
	there := os.NewFile(uintptr(at), last)
	defer there.Close()
	_, err = there.Readdirnames(1)
	return err != io.EOF
}

// writable reports whether the user of this process and the caller may put names into a
// folder. For root and for others' folders it is true: the kernel decides.
func writable(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	return os.Geteuid() == 0 || int(st.Uid) != os.Geteuid() || st.Mode&0o300 == 0o300
}

// within reports whether an open folder is another one or lies below it.
func within(fd, top int) bool {
	below, err := pathOf(fd)
	above, err2 := pathOf(top)
	return err == nil && err2 == nil && confine.Under(below, above)
}
