// Package safefile opens files in places where somebody else could have put something
// different. A command that a run let write there can leave a FIFO, a device, a link or a
// file without end. The next program that reads it must not hang, follow the link or fill
// memory.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrTooLarge is the error of Read for a file that is larger than the limit.
var ErrTooLarge = errors.New("too large")

// Open opens the regular file at path for reading. If the last element of path is a
// symbolic link it is not followed, and Open never waits (open(2), O_NOFOLLOW and
// O_NONBLOCK). Anything but a regular file, and a hole, is an error that wraps
// fs.ErrInvalid.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY) }

// Append opens the regular file at path for reading, and for writing at its end. If there is
// none it makes one, for its owner alone. Like Open, it never follows a link or waits.
func Append(path string) (*os.File, error) {
	return open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
}

// Change opens the regular file at path for reading and writing. Like Open, it never
// follows a link or waits.
func Change(path string) (*os.File, error) { return open(path, os.O_RDWR) }

// Create opens the regular file at path for writing and empties it. If there is none it
// makes one, for its owner alone. Like Open, it never follows a link or waits.
func Create(path string) (*os.File, error) {
	return open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}

// open opens the file with the flags, and checks it.
func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC,
		0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, refused(path, "a symbolic link, which is not followed")
	}
	if err != nil {
		return nil, err
	}
	return checked(f, flags&os.O_WRONLY == 0)
}

// checked returns f if it is a regular file and, if it is to be read, no hole.
func checked(f *os.File, reads bool) (*os.File, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = refused(f.Name(), "no regular file")
	case reads && hollow(info):
		err = refused(f.Name(), "a hole, not a file that was written")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A kindError says what a file is that is not accepted. It is an fs.ErrInvalid.
type kindError string

// Error returns what the file is.
func (e kindError) Error() string { return string(e) }

// Unwrap returns fs.ErrInvalid.
func (e kindError) Unwrap() error { return fs.ErrInvalid }

// refused returns the error for a file that is not accepted.
func refused(path, what string) error {
	return &fs.PathError{Op: "open", Path: path, Err: kindError(what)}
}

// hollow reports whether a file claims more than a gigabyte and 64 times what it takes on
// the disk. truncate(1) makes a terabyte at no cost, and reading it takes an hour. No
// file system that compresses comes close to that with text.
func hollow(info fs.FileInfo) bool {
	const sector = 512 // of Blocks, on every system (stat(2))
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Size() > 1<<30 && info.Size()/64 > s.Blocks*sector
}

// Named opens the file at a path that the user names, for reading. It follows symbolic
// links, and waits for a pipe, such as the shell's <(...). What a command could have left
// there instead is an error that wraps fs.ErrInvalid: a link to a device, a hole, a
// folder.
func Named(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular(): // and has to be when it is open
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		return checked(f, true)
	case info.IsDir():
		return nil, refused(path, "a directory")
	case info.Mode()&fs.ModeDevice != 0 && !strings.HasPrefix(path, "/dev/"):
		return nil, refused(path, "a link to a device")
	}
	return os.Open(path)
}

// ReadNamed returns the content of the file at a path that the user names, with the limit
// of Read. It opens the file as Named does.
func ReadNamed(path string, limit int64) ([]byte, error) {
	f, err := Named(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, limit)
}

// Follow returns the path to which path leads through symbolic links, or path itself if
// it leads nowhere. It is for the user's own files, which people keep elsewhere and link
// to. What the path leads to may still be anything.
func Follow(path string) string {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // usual, and soon told
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Read returns the content of the regular file at path. If that is more than limit bytes,
// the error wraps ErrTooLarge. It opens the file as Open does.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, limit)
}

// readAll reads f to its end, up to the limit.
func readAll(f *os.File, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: f.Name(),
			Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)}
	}
	return data, err
}

// Replace puts a file with that text and mode in the place of the one at path, as ReplaceBy does.
func Replace(path string, text []byte, mode fs.FileMode, sync bool) error {
	return ReplaceBy(path, mode, sync, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// ReplaceBy puts a file with that mode in the place of the one at path, completely or not at all
// (rename(2)); write writes it. With sync it is on the disk before its name is there. The old
// file stays until then, also as what a link at path leads to.
func ReplaceBy(path string, mode fs.FileMode, sync bool, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which is not there any more, if it went well
	if err = write(f); err == nil {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil && sync {
		SyncFolder(filepath.Dir(path))
	}
	return err
}

// SyncFolder writes the names in a folder to the disk, if the system can.
func SyncFolder(dir string) {
	flags := os.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NONBLOCK
	if d, err := os.OpenFile(dir, flags, 0); err == nil {
		d.Sync()
		d.Close()
	}
}

// maxLinks is how many symbolic links the way to a file may have (path_resolution(7)).
const maxLinks = 40

// Walk follows rest, a path, from at, an absolute path without symbolic links, through
// all of them. What is on the way need not exist. The function target returns where a
// symbolic link leads to, or "" for anything else. Walk calls turn where the way turns,
// with the folder and the link in it, or "" for a "..": who can write that folder decides
// where the way ends. It returns that end, or "" if turn returns false or there are more
// links than a way may have, as in a circle.
func Walk(at, rest string, target func(path string) string, turn func(in, link string) bool,
) string {
	names, links := strings.Split(rest, "/"), 0
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if !turn(at, "") {
				return ""
			}
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		to := target(next)
		if to == "" {
			at = next
			continue
		}
		if links++; !turn(at, next) || links > maxLinks {
			return ""
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		names = append(strings.Split(to, "/"), names...)
	}
	return at
}
