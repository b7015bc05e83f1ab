//go:build linux

package tree

import (
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Copy makes the file at to, which must not exist, from the one at from: data with its
// holes, type, owner, mode, times and attributes. Of a folder it copies only the folder
// itself. After an error nothing is left at to.
func Copy(from, to string, f *File) (err error) {
	switch f.Type {
	case Regular:
		err = copyData(from, to)
	case Folder:
		err = unix.Mkdir(to, 0o700)
	case Symlink:
		err = unix.Symlink(string(f.Target), to)
	case Fifo, Socket, Char, Block:
		err = unix.Mknod(to, kind(f.Type)|0o600, int(f.Device))
	}
	if err != nil {
		return pathError("copy to", to, err)
	}
	attributes, err := AttributesOf(from)
	if err == nil {
		err = f.Apply(to, attributes)
	}
	if err != nil {
		_ = unix.Unlink(to)
		_ = unix.Rmdir(to)
	}
	return err
}

// kind returns the bits of a mode for a type that mknod(2) makes.
func kind(t Type) uint32 {
	switch t {
	case Fifo:
		return unix.S_IFIFO
	case Socket:
		return unix.S_IFSOCK
	case Char:
		return unix.S_IFCHR
	}
	return unix.S_IFBLK
}

// pathError adds the operation and the path to an error that has none.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var already *os.PathError
	if errors.As(err, &already) {
		return err
	}
	return &os.PathError{Op: op, Path: path, Err: err}
}

// Apply gives the file at path f's owner, mode and modification time, and the attributes;
// nil leaves those alone. The time comes last, since the other changes would change it.
func (f *File) Apply(path string, attributes Attributes) error {
	if err := unix.Lchown(path, int(f.UID), int(f.GID)); err != nil {
		var now unix.Stat_t // one that has them already needs no right to set them
		if unix.Lstat(path, &now) != nil || now.Uid != f.UID || now.Gid != f.GID {
			return pathError("chown", path, err)
		}
	}
	if attributes != nil {
		if err := attributes.Set(path); err != nil {
			return err
		}
	}
	if f.Type != Symlink {
		if err := unix.Fchmodat(unix.AT_FDCWD, path, uint32(f.Mode), 0); err != nil {
			return pathError("chmod", path, err)
		}
	}
	return SetMtime(path, f.Mtime)
}

// SetMtime sets the modification time of the file at path itself, not of a link's target.
func SetMtime(path string, at Stamp) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(int64(at))}
	return pathError("utimensat", path, unix.UtimesNanoAt(unix.AT_FDCWD, path, times,
		unix.AT_SYMLINK_NOFOLLOW))
}

// copyData copies a regular file. It is a clone where the file system has those, and
// otherwise only the parts with data are copied (lseek(2), SEEK_DATA), so that holes stay
// holes.
func copyData(from, to string) error {
	in, err := os.OpenFile(from, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			unix.Unlink(to)
		}
	}()
	if err = unix.IoctlFileClone(int(out.Fd()), int(in.Fd())); err != nil {
		err = copyRanges(in, out)
	}
	return errors.Join(err, out.Close())
}

// copyRanges copies the parts of a file that hold data.
func copyRanges(in, out *os.File) error {
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := out.Truncate(info.Size()); err != nil {
		return err
	}
	for at := int64(0); at < info.Size(); {
		data, err := unix.Seek(int(in.Fd()), at, unix.SEEK_DATA)
		if err == unix.ENXIO {
			return nil // only a hole is left
		}
		hole := info.Size()
		if err != nil {
			data = at
		} else if hole, err = unix.Seek(int(in.Fd()), data, unix.SEEK_HOLE); err != nil {
			hole = info.Size()
		}
		if err := copyRange(in, out, data, hole); err != nil {
			return err
		}
		at = hole
	}
	return nil
}

// copyRange copies the bytes between two offsets.
func copyRange(in, out *os.File, from, to int64) error {
	if _, err := in.Seek(from, io.SeekStart); err != nil {
		return err
	}
	if _, err := out.Seek(from, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(out, in, to-from)
	if err == io.EOF {
		return nil // it became shorter meanwhile
	}
	return err
}

// SameData reports whether two regular files hold the same bytes.
func SameData(a, b string) (bool, error) {
	f, err := os.OpenFile(a, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := os.OpenFile(b, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false, err
	}
	defer g.Close()
	one, two := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(f, one)
		m, err2 := io.ReadFull(g, two)
		if n != m || !bytes.Equal(one[:n], two[:m]) {
			return false, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return true, nil
		}
		if err = errors.Join(err, err2); err != nil {
			return false, err
		}
	}
}

// Unlock gives the owner all rights to the folders of a tree.
func Unlock(path string) {
	f, err := Lstat(path)
	if err != nil || !f.IsFolder() {
		return
	}
	if f.Mode&0o700 != 0o700 {
		_ = unix.Fchmodat(unix.AT_FDCWD, path, uint32(f.Mode)|0o700, 0)
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if e.IsDir() {
			Unlock(path + "/" + e.Name())
		}
	}
}
