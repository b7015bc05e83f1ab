package syscalls

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/internal/common/confine"
)

// A Hearer is told what processes are about to do. Several goroutines call it.
type Hearer struct {
	Spoken  func(netip.AddrPort) // the address that one in this network namespace speaks to
	Written func(path string)    // what is made, changed or removed outside of the covers
	// what is changed or removed of a cover, by its index, that the lower layer has as a file
	// at the relative path
	Changed func(cover int, path string)
}

// A server makes folders renameable, one at a time.
type server struct {
	covers []overlay.Open
	hear   Hearer
	mu     sync.Mutex
}

// placeOf returns the path of an open file that can hold data, and the index of the cover
// that it belongs to, -1 for none.
func (s *server) placeOf(fd int) (path string, cover int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return "", -1
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFDIR {
		return "", -1
	}
	path, err := pathOf(fd)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasSuffix(path, " (deleted)") {
		return "", -1
	}
	var fs unix.Statfs_t // a file's own device can be that of a layer
	if unix.Fstatfs(fd, &fs) != nil {
		return "", -1
	}
	if fs.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return path, s.coverOf(path)
	}
	return path, -1
}

// coverOf returns the index of the innermost cover that holds a path, -1 for none.
func (s *server) coverOf(path string) int {
	cover := -1
	for i, c := range s.covers {
		if confine.Under(path, c.Path) && (cover < 0 || len(c.Path) > len(s.covers[cover].Path)) {
			cover = i
		}
	}
	return cover
}

// inCover returns the cover that an open folder is in, and its path there; nil for none.
func (s *server) inCover(fd int) (c *overlay.Open, rel string) {
	var st unix.Stat_t
	full, err := pathOf(fd)
	cover := s.coverOf(full)
	if err != nil || cover < 0 || unix.Fstat(fd, &st) != nil || st.Dev != s.covers[cover].Dev {
		return nil, ""
	}
	c = &s.covers[cover]
	rel, err = filepath.Rel(c.Path, full)
	if err != nil {
		return nil, ""
	}
	return c, rel
}

// openAs opens a file, for its path alone, in the way the process would: by its root, its
// working folder and its descriptors, and so by its own mounts. It returns -1 for none.
func openAs(pid, fd int, name string, flags uint64) int {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags,
		Resolve: unix.RESOLVE_NO_MAGICLINKS}
	base := fmt.Sprintf("/proc/%d/cwd", pid)
	if strings.HasPrefix(name, "/") {
		base = fmt.Sprintf("/proc/%d/root", pid)
		how.Resolve |= unix.RESOLVE_IN_ROOT
	} else if fd != unix.AT_FDCWD {
		base = fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	}
	from, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	defer unix.Close(from)
	at, err := unix.Openat2(from, name, how)
	if err != nil {
		return -1
	}
	return at
}

// split cuts a path into the part that leads to a folder and the name in it. It keeps
// links and dots, which count.
func split(name string) (dir, last string) {
	name = strings.TrimRight(name, "/")
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ".", name
	}
	return name[:i+1], name[i+1:]
}

// pathOf returns the path of an open file.
func pathOf(fd int) (string, error) { return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)) }

// isName reports whether the last part of a path names a file in its folder.
func isName(last string) bool { return last != "" && last != "." && last != ".." }
