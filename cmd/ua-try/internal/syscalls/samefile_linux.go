package syscalls

import (
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// sameFile reports whether a call renames one name of a file to another name of it. That
// does nothing, and is allowed even where no name may be changed (rename(2), NOTES). The
// upper layer knows, since files that are linked in the view are there.
func (s *server) sameFile(n *notif, names [2]named) bool {
	if n.renameFlags()&^unix.RENAME_EXCHANGE != 0 {
		return false
	}
	one, two := s.linked(int(n.pid), names[0]), s.linked(int(n.pid), names[1])
	return one != nil && two != nil && one.Ino == two.Ino && one.Dev == two.Dev
}

// linked returns the file in the upper layer that a process names, nil unless it has other
// names there.
func (s *server) linked(pid int, n named) *tree.File {
	dir, last := split(n.path)
	if !isName(last) || strings.HasSuffix(n.path, "/") {
		return nil
	}
	parent := openAs(pid, n.fd, dir, unix.O_DIRECTORY)
	if parent < 0 {
		return nil
	}
	defer unix.Close(parent)
	c, rel := s.inCover(parent)
	if c == nil {
		return nil
	}
	f, err := c.Upper.At(rel).Join(last).Lstat()
	// The kernel links what marks a deleted file.
	if err != nil || f == nil || f.Links < 2 || f.IsFolder() || f.Whiteout() {
		return nil
	}
	return f
}
