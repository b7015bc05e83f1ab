package shipping

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// A folder is a place on this machine, or one that is mounted.
type folder string

// open opens a file of the folder, and makes it if flags say so. No link leads out of it.
func (d folder) open(name string, flags int) (*os.File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if flags&os.O_CREATE != 0 {
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return nil, err
		}
	}
	f, err := root.OpenFile(name, flags|syscall.O_NONBLOCK, 0o600) // to wait for no FIFO's other end
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		err = cmp.Or(err, errors.New("no regular file"))
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

func (d folder) Size(name string) (int64, error) {
	f, err := d.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (d folder) Read(name string, from, to int64) ([]byte, error) {
	if from == to {
		return nil, nil
	}
	f, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, from, to-from))
}

func (d folder) Write(name string, f io.ReaderAt, from, to int64) error {
	file, err := d.open(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.NewOffsetWriter(file, from), io.NewSectionReader(f, from, to-from))
	return errors.Join(err, file.Sync(), file.Close())
}
