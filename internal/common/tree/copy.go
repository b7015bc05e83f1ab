//go:build linux

package tree

import (
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Copy makes a file, where none must be, as the one at from: data with its holes, type,
// owner, mode, times and attributes. Of a folder it copies only the folder itself. f is
// what the file was when it was looked at. After an error nothing is left.
func Copy(from, to Place, f *File) error {
	source, now, err := from.pin()
	if err != nil {
		return err
	}
	defer source.close()
	if now.Type != f.Type {
		return from.failed("copy", ErrChanged)
	}
	if f.Type == Regular {
		return copyData(source, from, to, f)
	}
	attributes, err := source.attributes()
	if err != nil {
		return from.failed("getxattr", err)
	}
	err = to.at("copy to", func(folder int, name string) error {
		switch f.Type {
		case Folder:
			return unix.Mkdirat(folder, name, 0o700)
		case Symlink:
			return unix.Symlinkat(string(now.Target), folder, name)
		}
		return unix.Mknodat(folder, name, f.Type.bits()|0o600, int(f.Device))
	})
	if err != nil {
		return err
	}
	if err = to.Apply(nil, f, attributes); err != nil {
		_ = to.Unlink()
		_ = to.Rmdir()
	}
	return err
}

// copyData copies a regular file. It is a clone where the file system has those, and
// otherwise only the parts with data are copied (lseek(2), SEEK_DATA), so that holes stay
// holes. Nobody else has the new file open.
func copyData(source pinned, from, to Place, f *File) error {
	var in *os.File
	var attributes Attributes
	err := source.opening(func() error {
		fd, err := unix.Open(source.path(), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		in = os.NewFile(uintptr(fd), from.String())
		attributes, err = source.attributes()
		return err
	})
	defer in.Close()
	if err != nil {
		return from.failed("open", err)
	}
	out, err := to.Create(0o600)
	if err != nil {
		return err
	}
	fd := int(out.Fd())
	if err = unix.IoctlFileClone(fd, int(in.Fd())); err != nil {
		err = copyRanges(in, out)
	}
	if err == nil {
		err = pinned(fd).apply(f, attributes)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = to.Unlink()
	}
	return to.failed("copy to", err)
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

// SameContent reports whether two files of one type have the same content, target or device.
func SameContent(a, b Place, f, g *File) (bool, error) {
	if f.Size != g.Size || f.Target != g.Target || f.Device != g.Device {
		return false, nil
	}
	if f.Type != Regular {
		return true, nil
	}
	return SameData(a, b)
}

// SameData reports whether two regular files hold the same bytes.
func SameData(a, b Place) (bool, error) {
	f, err := a.Open()
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := b.Open()
	if err != nil {
		return false, err
	}
	defer g.Close()
	return sameBytes(f, g)
}

// sameBytes reports whether two readers have the same bytes.
func sameBytes(f, g io.Reader) (bool, error) {
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
