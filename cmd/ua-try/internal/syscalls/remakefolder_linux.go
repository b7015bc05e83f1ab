package syscalls

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

// prepare makes a folder again at its place. If that fails, the folder stays as it was
// and the kernel answers EXDEV to the rename. While the old one is emptied, others can
// see it without some of its files.
func (s *server) prepare(f *folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var chance [6]byte
	rand.Read(chance[:])
	spare := ".ua-try-" + hex.EncodeToString(chance[:])
	old, err := reopen(f.parent, f.name)
	if err != nil {
		return
	}
	defer unix.Close(old)
	// the rename may yet be refused
	if parent, err := tree.Opened(f.parent); err == nil {
		defer parent.Close()
		if above, err := parent.At(".").Lstat(); err == nil {
			defer parent.At(".").SetMtime(above.Mtime)
		}
	}
	if err := unix.Mkdirat(f.parent, spare, 0o700); err != nil {
		return
	}
	fresh, err := reopen(f.parent, spare)
	if err != nil {
		return
	}
	defer unix.Close(fresh)
	c := copier{}
	if err = c.double(old, fresh, ""); err == nil {
		if err = c.empty(old, fresh, ""); err == nil {
			err = unix.Unlinkat(f.parent, f.name, unix.AT_REMOVEDIR)
		}
		if err == nil {
			if err = unix.Renameat(f.parent, spare, f.parent, f.name); err == nil {
				return
			}
		}
		_ = unix.Mkdirat(f.parent, f.name, 0o700)
		if back, err := reopen(f.parent, f.name); err == nil {
			_ = copier{}.double(fresh, back, "")
			unix.Close(back)
		}
	}
	_ = os.RemoveAll(fmt.Sprintf("/proc/self/fd/%d/%s", f.parent, spare))
}

// reopen opens a folder by name for reading its names. A mount there belongs to another
// file system or protects the folder, and is an error (EXDEV).
func reopen(at int, name string) (int, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS,
	}
	return unix.Openat2(at, name, how)
}

// names returns the names in a folder, in any order.
func names(fd int) ([]string, error) {
	again, err := reopen(fd, ".")
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), "folder")
	defer f.Close()
	return f.Readdirnames(-1)
}

// at returns a path of a name in an open folder, by way of /proc.
func at(fd int, name string) string { return fmt.Sprintf("/proc/self/fd/%d/%s", fd, name) }

// A copier makes one folder look like another. It knows by path the inode that each file
// had when its link was made, since a link to a file of an overlay can have another
// inode.
type copier map[string]uint64

// double gives one folder what another has: a link for each file, and folders with the
// same look. What is there already stays.
func (c copier) double(from, to int, dir string) error {
	old, err := tree.Opened(from)
	if err != nil {
		return err
	}
	defer old.Close()
	f, err := old.At(".").Lstat()
	if err != nil {
		return err
	}
	attributes, err := old.At(".").Attributes()
	if err != nil {
		return err
	}
	list, err := names(from)
	if err != nil {
		return err
	}
	for _, name := range list {
		if err := c.doubleOne(from, to, dir, name); err != nil {
			return err
		}
	}
	fresh, err := tree.Opened(to)
	if err != nil {
		return err
	}
	defer fresh.Close()
	return fresh.At(".").Apply(nil, f, attributes)
}

// doubleOne does the same for one name.
func (c copier) doubleOne(from, to int, dir, name string) error {
	f, err := tree.Lstat(at(from, name))
	if err != nil || f == nil {
		return err
	}
	if !f.IsFolder() {
		if err := unix.Linkat(from, name, to, name, 0); err != nil && err != unix.EEXIST {
			return err
		}
		var st unix.Stat_t
		if err := unix.Fstatat(from, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		c[dir+"/"+name] = st.Ino
		return nil
	}
	if err := unix.Mkdirat(to, name, 0o700); err != nil && err != unix.EEXIST {
		return err
	}
	a, err := reopen(from, name)
	if err != nil {
		return err
	}
	defer unix.Close(a)
	b, err := reopen(to, name)
	if err != nil {
		return err
	}
	defer unix.Close(b)
	return c.double(a, b, dir+"/"+name)
}

// empty removes from the old folder what the fresh one has. What somebody has put there
// in the meantime is taken over first.
func (c copier) empty(old, fresh int, dir string) error {
	// A process that writes there all the time must not keep the caller waiting for ever.
	for range 100 {
		list, err := names(old)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, name := range list {
			if err := c.emptyOne(old, fresh, dir, name); err != nil && err != unix.ENOENT {
				return err
			}
		}
	}
	return unix.EBUSY
}

// emptyOne removes one name from the old folder, after the fresh one has it as it is now.
func (c copier) emptyOne(old, fresh int, dir, name string) error {
	var was, is unix.Stat_t
	if err := unix.Fstatat(old, name, &was, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	err := unix.Fstatat(fresh, name, &is, unix.AT_SYMLINK_NOFOLLOW)
	if err == unix.ENOENT {
		return c.doubleOne(old, fresh, dir, name)
	}
	if err != nil {
		return err
	}
	if was.Mode&unix.S_IFMT == unix.S_IFDIR {
		a, err := reopen(old, name)
		if err != nil {
			return err
		}
		defer unix.Close(a)
		b, err := reopen(fresh, name)
		if err != nil {
			return err
		}
		defer unix.Close(b)
		if err := c.empty(a, b, dir+"/"+name); err != nil {
			return err
		}
		return unix.Unlinkat(old, name, unix.AT_REMOVEDIR)
	}
	// Another file has come to this name since, so the fresh folder gets that one.
	if was.Ino != c[dir+"/"+name] || was.Mode&unix.S_IFMT != is.Mode&unix.S_IFMT {
		if err := unix.Unlinkat(fresh, name, 0); err != nil {
			return err
		}
		return c.doubleOne(old, fresh, dir, name)
	}
	return unix.Unlinkat(old, name, 0)
}
