package store

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/journal"
)

// A Writer appends to one journal, of which it is the only writer.
type Writer struct {
	File *os.File
	prev journal.Hash // of the last line
	Size int64        // of the file
	buf  []byte       // the lines to be written
}

// OpenWriter opens the journal at path, makes it if there is none, and locks it.
// The folder must be the user's own. A last line that a crash cut short is
// ended, so that nothing is ever glued to it. With wait it waits for another
// Writer to end.
func OpenWriter(path string, wait bool) (*Writer, error) {
	if err := OwnFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	signal.Ignore(syscall.SIGXFSZ) // past the limit of a file's size a write fails, and is told of
	for {
		f, err := OpenOwn(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		w := &Writer{File: f}
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

// Write appends one event.
func (w *Writer) Write(line []byte) error {
	var s journal.Sealer
	s.Begin(line)
	w.Add(&s)
	_, err := w.Flush()
	return err
}

// Add chains the event whose seal has begun to the one before. It goes into the
// file with the next flush.
func (w *Writer) Add(s *journal.Sealer) {
	w.buf, w.prev = s.End(w.buf, w.prev)
	w.buf = append(w.buf, '\n')
}

// Flush appends what was added with one write call. Of lines that the disk does
// not take all together it appends, one by one, those that it takes, and returns
// how many they are. After an error nothing can be added.
func (w *Writer) Flush() (lines int, err error) {
	b := w.buf
	w.buf = Reuse(b)
	if err = w.put(b); err == nil {
		return 0, nil
	}
	for line := range bytes.Lines(b) {
		if info, e := w.File.Stat(); e != nil || info.Size() != w.Size {
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
func (w *Writer) put(b []byte) error {
	for done := 0; done < len(b); {
		n, err := unix.Write(int(w.File.Fd()), b[done:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			if done > 0 {
				w.File.Truncate(w.Size)
			}
			return &os.PathError{Op: "write", Path: w.File.Name(), Err: err}
		}
		done += n
	}
	w.Size += int64(len(b))
	return nil
}

// Close closes the journal and drops its lock.
func (w *Writer) Close() error { return w.File.Close() }

// reuseMax is how large a buffer is kept for the next lines, in bytes.
const reuseMax = 1 << 20

// Reuse returns b for what comes next, or nil where one long line has made it huge.
func Reuse(b []byte) []byte {
	if cap(b) > reuseMax {
		return nil
	}
	return b[:0]
}
