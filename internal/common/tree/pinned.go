//go:build linux

package tree

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A pinned is a descriptor of a file, which may be of O_PATH. What is done by it reaches
// this file, whatever somebody puts in its place.
type pinned int

// path is the file's path in /proc, by which calls that take no descriptor of O_PATH
// reach it (open(2), O_PATH). The kernel goes from there to the file and to no link's
// target.
func (fd pinned) path() string { return "/proc/self/fd/" + strconv.Itoa(int(fd)) }

// close closes the descriptor.
func (fd pinned) close() { unix.Close(int(fd)) }

// file describes the file.
func (fd pinned) file() (*File, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(fd), &st); err != nil {
		return nil, err
	}
	f := From(&st)
	if f.Type != Symlink {
		return f, nil
	}
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(fd), "", target)
	if err != nil {
		return nil, err
	}
	f.Target = Name(target[:n])
	return f, nil
}

// chmod sets the mode of the file, which is no link.
func (fd pinned) chmod(mode uint32) error {
	return unix.Fchmodat(unix.AT_FDCWD, fd.path(), mode, 0)
}

// setMtime sets the modification time.
func (fd pinned) setMtime(at Stamp) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(int64(at))}
	return unix.UtimesNanoAt(unix.AT_FDCWD, fd.path(), times, 0)
}

// apply gives the file f's look. The time comes last, since the other changes would
// change it.
func (fd pinned) apply(f *File, attributes Attributes) error {
	err := unix.Fchownat(int(fd), "", int(f.UID), int(f.GID), unix.AT_EMPTY_PATH)
	if err != nil {
		var now unix.Stat_t // one that has them already needs no right to set them
		if unix.Fstat(int(fd), &now) != nil || now.Uid != f.UID || now.Gid != f.GID {
			return err
		}
	}
	if attributes != nil {
		if err := fd.setAttributes(attributes); err != nil {
			return err
		}
	}
	if f.Type != Symlink {
		if err := fd.chmod(uint32(f.Mode)); err != nil {
			return err
		}
	}
	return fd.setMtime(f.Mtime)
}

// attributeNames returns the names of the attributes. A file system without attributes
// has none.
func (fd pinned) attributeNames() (names []string, err error) {
	buf := make([]byte, 512)
	for {
		n, err := unix.Listxattr(fd.path(), buf)
		switch {
		case err == unix.ERANGE:
			buf = make([]byte, 4*len(buf))
			continue
		case err == unix.ENOTSUP || err == unix.EPERM:
			return nil, nil
		case err != nil:
			return nil, err
		}
		for name := range bytes.SplitSeq(buf[:n], []byte{0}) {
			if len(name) > 0 {
				names = append(names, string(name))
			}
		}
		return names, nil
	}
}

// attributes reads the attributes, except those of an overlay and those that this user
// may not read.
func (fd pinned) attributes() (Attributes, error) {
	names, err := fd.attributeNames()
	if err != nil {
		return nil, err
	}
	list := Attributes{}
	for _, name := range names {
		if Overlay(name) {
			continue
		}
		value, err := fd.attribute(name)
		if err == nil {
			list[name] = value
		} else if err != unix.ENODATA && err != unix.EPERM && err != unix.EACCES {
			return nil, &os.PathError{Op: "getxattr", Path: name, Err: err}
		}
	}
	return list, nil
}

// attribute reads one attribute, of any size.
func (fd pinned) attribute(name string) ([]byte, error) {
	buf := make([]byte, 256)
	for {
		n, err := unix.Getxattr(fd.path(), name, buf)
		if err == unix.ERANGE {
			if n, err = unix.Getxattr(fd.path(), name, nil); err == nil {
				buf = make([]byte, n+64)
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

// setAttributes gives the file exactly these attributes. Those of an overlay stay. One
// that this user may not set is an error.
func (fd pinned) setAttributes(a Attributes) error {
	old, err := fd.attributes()
	// A file that has them already needs no right to be written.
	if err != nil || old.Equal(a) {
		return err
	}
	for name := range old {
		if _, ok := a[name]; !ok {
			if err := fd.removeAttribute(name); err != nil {
				return err
			}
		}
	}
	for name, value := range a {
		if was, ok := old[name]; ok && bytes.Equal(was, value) {
			continue
		}
		err := fd.opening(func() error { return unix.Setxattr(fd.path(), name, value, 0) })
		if err != nil {
			return &os.PathError{Op: "setxattr", Path: name, Err: err}
		}
	}
	return nil
}

// strip removes the overlay's attributes.
func (fd pinned) strip() error {
	names, err := fd.attributeNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		if Overlay(name) {
			if err := fd.removeAttribute(name); err != nil && !errors.Is(err, unix.ENODATA) {
				return err
			}
		}
	}
	return nil
}

// removeAttribute removes an attribute.
func (fd pinned) removeAttribute(name string) error {
	return fd.opening(func() error { return unix.Removexattr(fd.path(), name) })
}

// opening does something that reads the file or writes to it. If the file forbids that to its
// owner, it gets a mode that allows it for that time: user attributes need the same right as the
// content (xattr(7)).
func (fd pinned) opening(something func() error) error {
	err := something()
	if err != unix.EACCES {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(fd), &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.EACCES
	}
	mode := st.Mode & 0o7777
	if err := fd.chmod(mode | 0o600); err != nil {
		return err
	}
	err = something()
	return errors.Join(err, fd.chmod(mode))
}
