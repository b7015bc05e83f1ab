package syscalls

import (
	"strings"

	"golang.org/x/sys/unix"
)

// sameFile reports whether a call renames one name of a file to another name of it. That
// does nothing, and is allowed even where no name may be changed (rename(2), NOTES). The
// upper layer knows, since files that are linked in the view are there.
func (s *server) sameFile(n *notif, names [2]named) bool {
	if n.renameFlags()&^unix.RENAME_EXCHANGE != 0 {
		return false
	}
	one, ok := s.linked(int(n.pid), names[0])
	if !ok {
		return false
	}
	two, ok := s.linked(int(n.pid), names[1])
	return ok && one.Ino == two.Ino && one.Dev == two.Dev
}

// linked returns the file in the upper layer that a process names. ok is false unless it
// has other names there.
func (s *server) linked(pid int, n named) (st unix.Stat_t, ok bool) {
	dir, last := split(n.path)
	if !isName(last) || strings.HasSuffix(n.path, "/") {
		return st, false
	}
	parent := openAs(pid, n.fd, dir, unix.O_DIRECTORY)
	if parent < 0 {
		return st, false
	}
	defer unix.Close(parent)
	full, err := pathOf(parent)
	if err != nil {
		return st, false
	}
	for _, c := range s.covers {
		var view unix.Stat_t
		rel, ok := strings.CutPrefix(full+"/", strings.TrimSuffix(c.Path, "/")+"/")
		if !ok || unix.Fstat(parent, &view) != nil || view.Dev != c.Dev {
			continue
		}
		err := unix.Fstatat(c.Upper, rel+last, &st, unix.AT_SYMLINK_NOFOLLOW)
		kind := st.Mode & unix.S_IFMT
		gone := kind == unix.S_IFCHR && st.Rdev == 0 // the kernel links what marks a deleted file
		return st, err == nil && st.Nlink > 1 && kind != unix.S_IFDIR && !gone
	}
	return st, false
}
