//go:build unix

// Package remove removes trees that commands may have made: deeper than this process may
// have open files, below names longer than a path may be, and with folders whose mode
// forbids it.
package remove

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// All removes the tree at path. It is no error if nothing is there.
func All(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	parent, err2 := os.Open(filepath.Dir(path))
	if err2 != nil {
		return err
	}
	defer parent.Close()
	return At(parent, filepath.Base(path))
}

// At removes the tree at name in a folder, and follows no link. It has four files open at
// most: a folder that is not empty is moved up to the top of the tree, and is emptied
// there.
func At(parent *os.File, name string) error {
	in := int(parent.Fd())
	if gone(in, name) {
		return nil
	}
	top, err := open(in, name)
	if err != nil {
		return &os.PathError{Op: "remove", Path: name, Err: err}
	}
	defer top.Close()
	f := flattened{fd: int(top.Fd()), prefix: random()}
	for {
		err := unlink(in, name)
		if err == nil {
			return nil
		}
		if inside := f.empty(); inside != nil {
			if err == unix.ENOTEMPTY || err == unix.EEXIST {
				err = inside
			}
			return &os.PathError{Op: "remove", Path: name, Err: err}
		}
	}
}

// A flattened is the top of a tree whose folders are moved up to it.
type flattened struct {
	fd     int
	prefix string // of the names that they get
	moved  int
}

// empty removes each file of the top, and each folder once all folders in it have been
// moved to the top. It returns an error if nothing can be done any more.
func (f *flattened) empty() error {
	did := false
	err := each(f.fd, ".", func(_ int, name string) error {
		if gone(f.fd, name) {
			did = true
			return nil
		}
		inside := each(f.fd, name, f.lift)
		if err := unlink(f.fd, name); err != nil {
			return errors.Join(inside, err)
		}
		did = true
		return inside
	})
	if did {
		return nil
	}
	return cmp.Or(err, error(unix.ENOTEMPTY))
}

// lift removes what is at name in a folder, or moves it to the top.
func (f *flattened) lift(dir int, name string) error {
	if gone(dir, name) {
		return nil
	}
	unlock(dir, name) // to move a folder is to write its ".."
	f.moved++
	return unix.Renameat(dir, name, f.fd, f.prefix+strconv.Itoa(f.moved))
}

// each calls do for each name in a folder, and returns the last error.
func each(in int, name string, do func(dir int, name string) error) (last error) {
	dir, err := open(in, name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(1000)
		for _, name := range names {
			if err := do(int(dir.Fd()), name); err != nil {
				last = err
			}
		}
		if len(names) == 0 {
			if err != io.EOF && last == nil {
				last = err
			}
			return last
		}
	}
}

// open opens a folder after it has got all rights of its owner.
func open(in int, name string) (*os.File, error) {
	unlock(in, name)
	fd, err := unix.Openat(in, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// unlock gives the owner of a folder all rights to it.
func unlock(in int, name string) {
	var st unix.Stat_t
	if unix.Fstatat(in, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&0o700 != 0o700 {
		chmod(in, name, uint32(st.Mode)&0o7777|0o700)
	}
}

// gone is unlink without its reason.
func gone(in int, name string) bool { return unlink(in, name) == nil }

// unlink removes what is no folder, or an empty one. The error is nil if nothing is there,
// and otherwise the kernel's, as unlinkat(2) has it.
func unlink(in int, name string) error {
	err := unix.Unlinkat(in, name, 0)
	if err != nil && err != unix.ENOENT {
		if as := unix.Unlinkat(in, name, unix.AT_REMOVEDIR); as != unix.ENOTDIR {
			err = as
		}
	}
	if err == unix.ENOENT {
		return nil
	}
	return err
}

// random returns the start of names that nothing in the tree has.
func random() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:]) + "-"
}
