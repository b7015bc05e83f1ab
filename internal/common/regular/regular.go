// Package regular opens files that somebody else could have put something else
// in the place of: a command that a run let write there leaves a FIFO, a device, a
// link or a file without an end, and the next program that reads it must not
// hang, follow or fill memory.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrTooLarge is the error of Read for a file with more bytes than asked for.
var ErrTooLarge = errors.New("too large")

// Open opens the regular file at path for reading. The last element of path is
// not followed if it is a symbolic link, and nothing is waited for
// (open(2), O_NOFOLLOW and O_NONBLOCK). What is no regular file is an error
// that wraps fs.ErrInvalid.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY) }

// Append opens the regular file at path for writing at its end, and makes it for
// its owner alone when there is none. It never follows a link nor waits, as Open.
func Append(path string) (*os.File, error) {
	return open(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
}

// Create opens the regular file at path for writing, empty, and makes it for its
// owner alone when there is none. It never follows a link nor waits, as Open.
func Create(path string) (*os.File, error) {
	return open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}

func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &fs.PathError{Op: "open", Path: path,
			Err: fmt.Errorf("a symbolic link: %w", fs.ErrInvalid)}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("no regular file: %w", fs.ErrInvalid)}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Follow returns what path leads to through symbolic links, or path itself if it leads
// nowhere. It is for the user's own files, which people keep elsewhere and link to; what
// they lead to may still be anything.
func Follow(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Read returns the content of the regular file at path, at most limit bytes of it:
// for more, the error wraps ErrTooLarge. It opens the file as Open does.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: path,
			Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)}
	}
	return data, err
}
