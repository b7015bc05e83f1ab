//go:build linux

package tree

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Attributes are extended attributes by name (xattr(7)).
type Attributes map[string][]byte

// Overlay reports whether an attribute is one that an overlay uses for itself:
// user.overlay.* or trusted.overlay.*.
func Overlay(name string) bool {
	return strings.HasPrefix(name, "user.overlay.") || strings.HasPrefix(name, "trusted.overlay.")
}

// AttributeNames returns the names of the attributes of the file at path itself. A file
// system without attributes has none.
func AttributeNames(path string) (names []string, err error) {
	buf := make([]byte, 512)
	for {
		n, err := unix.Llistxattr(path, buf)
		switch {
		case err == unix.ERANGE:
			buf = make([]byte, 4*len(buf))
			continue
		case err == unix.ENOTSUP || err == unix.EPERM:
			return nil, nil
		case err != nil:
			return nil, &os.PathError{Op: "listxattr", Path: path, Err: err}
		}
		for name := range bytes.SplitSeq(buf[:n], []byte{0}) {
			if len(name) > 0 {
				names = append(names, string(name))
			}
		}
		return names, nil
	}
}

// AttributesOf reads the attributes of the file at path itself, except those of an
// overlay and those that this user may not read.
func AttributesOf(path string) (Attributes, error) {
	names, err := AttributeNames(path)
	if err != nil {
		return nil, err
	}
	list := Attributes{}
	for _, name := range names {
		if Overlay(name) {
			continue
		}
		value, err := attribute(path, name)
		if err == nil {
			list[name] = value
		} else if err != unix.ENODATA && err != unix.EPERM && err != unix.EACCES {
			return nil, &os.PathError{Op: "getxattr " + name, Path: path, Err: err}
		}
	}
	return list, nil
}

// attribute reads one attribute, of any size.
func attribute(path, name string) ([]byte, error) {
	buf := make([]byte, 256)
	for {
		n, err := unix.Lgetxattr(path, name, buf)
		if err == unix.ERANGE {
			if n, err = unix.Lgetxattr(path, name, nil); err == nil {
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

// Equal reports whether two sets have the same names and values.
func (a Attributes) Equal(b Attributes) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// Set gives the file at path itself exactly these attributes. Those of an overlay stay.
// One that this user may not set is an error.
func (a Attributes) Set(path string) error {
	old, err := AttributesOf(path)
	// A file that has them already needs no right to be written.
	if err != nil || old.Equal(a) {
		return err
	}
	for name := range old {
		if _, ok := a[name]; !ok {
			if err := removeAttribute(path, name); err != nil {
				return err
			}
		}
	}
	for name, value := range a {
		if was, ok := old[name]; ok && bytes.Equal(was, value) {
			continue
		}
		err := writing(path, func() error { return unix.Lsetxattr(path, name, value, 0) })
		if err != nil {
			return &os.PathError{Op: "setxattr " + name, Path: path, Err: err}
		}
	}
	return nil
}

// Strip removes the overlay's attributes from the file at path itself.
func Strip(path string) error {
	names, err := AttributeNames(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if Overlay(name) {
			if err := removeAttribute(path, name); err != nil && !errors.Is(err, unix.ENODATA) {
				return err
			}
		}
	}
	return nil
}

// removeAttribute removes an attribute from the file at path itself.
func removeAttribute(path, name string) error {
	err := writing(path, func() error { return unix.Lremovexattr(path, name) })
	if err != nil {
		return &os.PathError{Op: "removexattr " + name, Path: path, Err: err}
	}
	return nil
}

// writing does something that writes to a file. If the file forbids its owner to write,
// it gets a mode that allows it for that time: user attributes need the same right as the
// content (xattr(7)).
func writing(path string, something func() error) error {
	err := something()
	if err != unix.EACCES {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.EACCES
	}
	mode := st.Mode & 0o7777
	if err := unix.Fchmodat(unix.AT_FDCWD, path, mode|0o600, 0); err != nil {
		return err
	}
	err = something()
	return errors.Join(err, unix.Fchmodat(unix.AT_FDCWD, path, mode, 0))
}
