package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// A writer appends to one journal, of which it is the only writer.
type writer struct {
	f    *os.File
	prev journal.Hash // of the last line
	size int64        // of the file
	buf  []byte       // the lines to be written
}

// openWriter opens the journal at path, makes it if there is none, and locks it.
// The folder must be the user's own. A last line that a crash cut short is
// ended, so that nothing is ever glued to it. With wait it waits for another
// writer to end.
func openWriter(path string, wait bool) (*writer, error) {
	if err := ownFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	signal.Ignore(syscall.SIGXFSZ) // past the limit of a file's size a write fails, and is told of
	for {
		f, err := openOwn(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		w := &writer{f: f}
		if err = lock(f, wait); err == nil {
			err = w.resume()
		}
		if err == nil && sameFile(f, path) {
			return w, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// sameFile says whether f still is what stands at path: the one who had it
// locked may have put another file in its place.
func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	now, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(mine, now)
}

// ownFolder refuses a folder in which somebody else could swap the file.
func ownFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return prog.Errorf(prog.Trouble, "%q: not a folder", dir)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != os.Geteuid() {
		return prog.Errorf(prog.Trouble, "%q: the folder belongs to user %d", dir, uid).
			Hintf("a journal's folder is its writer's own: mkdir one")
	}
	return nil
}

// openOwn opens a regular file of the user's for appending, and never through
// a symbolic link.
func openOwn(path string, mode int) (*os.File, error) {
	f, err := os.OpenFile(path, mode|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, prog.Errorf(prog.Trouble, "%q: a symbolic link, not followed", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = prog.Errorf(prog.Trouble, "%q: not a regular file", path)
	case int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid():
		err = prog.Errorf(prog.Trouble, "%q: belongs to user %d", path, info.Sys().(*syscall.Stat_t).Uid)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lock takes the file's POSIX record lock, which the kernel drops when this
// process ends, however it ends, and which tells others who holds it.
func lock(f *os.File, wait bool) error {
	how := unix.F_SETLK
	if wait {
		how = unix.F_SETLKW
	}
	for {
		err := unix.FcntlFlock(f.Fd(), how, &unix.Flock_t{Type: unix.F_WRLCK})
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN || err == syscall.EACCES:
			return prog.Errorf(prog.TryLater, "%s: process %d is writing it", f.Name(), holder(f)).
				Hintf("--wait waits for it to end")
		}
		return err
	}
}

// holder is the process that has f locked, 0 when there is none.
func holder(f *os.File) int {
	l := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
		return 0
	}
	return int(l.Pid)
}

// resume finds where the journal stands: it ends a torn last line and takes up
// the hash of the last one.
func (w *writer) resume() error {
	info, err := w.f.Stat()
	if err != nil {
		return err
	}
	w.size = info.Size()
	copy(w.prev[:], journal.First)
	if w.size == 0 {
		return nil
	}
	line, whole, err := lastLine(w.f, w.size)
	if err != nil {
		return err
	}
	w.prev = journal.Sum(line)
	if !whole {
		return w.put([]byte{'\n'})
	}
	return nil
}

// lastLine is the last line of a file of size bytes, without its newline, and
// whether it has one. It reads from the end.
func lastLine(f io.ReaderAt, size int64) (line []byte, whole bool, err error) {
	for n := int64(64 << 10); ; n *= 4 {
		n = min(n, size)
		b := make([]byte, n)
		if _, err := f.ReadAt(b, size-n); err != nil {
			return nil, false, err
		}
		body := bytes.TrimSuffix(b, []byte{'\n'})
		if i := bytes.LastIndexByte(body, '\n'); i >= 0 || n == size {
			return body[i+1:], len(body) < len(b), nil
		}
	}
}

// write appends one event.
func (w *writer) write(line []byte) error {
	var s journal.Sealer
	s.Begin(line)
	w.add(&s)
	_, err := w.flush()
	return err
}

// add chains the event whose seal has begun to the one before. It goes into the
// file with the next flush.
func (w *writer) add(s *journal.Sealer) {
	w.buf, w.prev = s.End(w.buf, w.prev)
	w.buf = append(w.buf, '\n')
}

// flush appends what was added with one write call. Of lines that the disk does
// not take all together it appends, one by one, those that it takes, and returns
// how many they are. After an error nothing can be added.
func (w *writer) flush() (lines int, err error) {
	b := w.buf
	w.buf = small(b)
	if err = w.put(b); err == nil {
		return 0, nil
	}
	for line := range bytes.Lines(b) {
		if info, e := w.f.Stat(); e != nil || info.Size() != w.size {
			return lines, err // what is torn could not be taken back
		}
		if err = w.put(line); err != nil {
			break
		}
		lines++
	}
	return lines, err
}

// put appends b whole or not at all: what a full disk let through of it is
// taken back.
func (w *writer) put(b []byte) error {
	for done := 0; done < len(b); {
		n, err := unix.Write(int(w.f.Fd()), b[done:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			if done > 0 {
				w.f.Truncate(w.size)
			}
			return &os.PathError{Op: "write", Path: w.f.Name(), Err: err}
		}
		done += n
	}
	w.size += int64(len(b))
	return nil
}

func (w *writer) close() error { return w.f.Close() }
