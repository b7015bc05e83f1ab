package store

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// A Writer appends to one journal. It is the only writer of that journal.
type Writer struct {
	File *os.File
	prev journal.Hash // of the last line
	Size int64        // of the file
	buf  []byte       // the lines to be written
}

// OpenWriter opens and locks the journal at path, and creates it if there is none. Its
// folder must belong to the user. A last line that a crash has cut short is ended, so
// that nothing is appended to it. With wait it waits for another Writer to end.
func OpenWriter(path string, wait bool) (*Writer, error) {
	if err := OwnFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	signal.Ignore(syscall.SIGXFSZ) // past the limit of a file's size a write fails, and is told of
	for {
		f, err := OpenOwn(path)
		if err != nil {
			return nil, err
		}
		w := &Writer{File: f}
		if err = lock(f, wait); err == nil {
			err = w.resume()
		}
		// The file may have been replaced between open and lock. Then the new one is
		// opened.
		if err == nil && sameFile(f, path) {
			return w, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Add chains an event, whose seal has begun, to the one before. The next Flush writes it.
func (w *Writer) Add(s *journal.Sealer) {
	w.buf, w.prev = s.End(w.buf, w.prev)
	w.buf = append(w.buf, '\n')
}

// Flush appends what was added with one call of write(2). If the disk does not take all
// lines together, it appends as many as fit, one by one, and returns how many these are.
// After an error nothing more can be added.
func (w *Writer) Flush() (lines int, err error) {
	b := w.buf
	w.buf = Reuse(b)
	if err = w.put(b); err == nil {
		return 0, w.mine()
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

// mine returns an error if the journal is no longer what this Writer has written: another
// program has removed, replaced, cut or extended it. What is written to it then is no
// record.
func (w *Writer) mine() error {
	path := w.File.Name()
	if !sameFile(w.File, path) {
		return prog.Errorf(prog.Trouble, "%s was removed or replaced while it was being written", path)
	}
	info, err := w.File.Stat()
	if err != nil {
		return err
	}
	if info.Size() != w.Size {
		return prog.Errorf(prog.Trouble, "%s was changed while it was being written", path)
	}
	return nil
}

// put appends b completely or not at all. What a full disk has accepted of it is removed
// again.
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

// Close closes the journal, which releases its lock.
func (w *Writer) Close() error { return w.File.Close() }

// reuseMax is the size, in bytes, up to which a buffer is kept for later lines.
const reuseMax = 1 << 20

// Reuse returns b, empty, for what comes next, or nil if one long line has made it huge.
func Reuse(b []byte) []byte {
	if cap(b) > reuseMax {
		return nil
	}
	return b[:0]
}
