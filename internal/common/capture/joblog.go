package capture

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"ua/internal/common/jobs"
	"ua/internal/common/redact"
	"ua/internal/common/scrub"
)

// A Ring is a file with the last lines that a background process prints. A reader may
// open it at any time.
type Ring struct {
	dir   *os.Root
	path  string
	file  *os.File
	ansi  scrub.ANSI
	clean *redact.Stream
	lines int
	size  int
	also  func([]byte)
}

// Ring makes a ring for what comes after Close. It takes over file, which is in dir, and
// begins with text. also, if not nil, gets all that the file gets.
func (c *Capture) Ring(dir *os.Root, file *os.File, text string, also func([]byte)) *Ring {
	r := &Ring{dir: dir, path: file.Name(), file: file, also: also}
	r.clean = c.rest(r.keep)
	r.keep([]byte(text))
	return r
}

// Path returns the file's path.
func (r *Ring) Path() string { return r.path }

// Write takes p, and may change it. If the disk is full, output is lost.
func (r *Ring) Write(p []byte) {
	r.clean.Write(r.ansi.Strip(p))
	r.clean.Settle()
}

// Close ends the ring. The file stays.
func (r *Ring) Close() {
	r.clean.Flush()
	r.file.Close()
}

// keep writes to the file, which is shortened at twice its size.
func (r *Ring) keep(p []byte) {
	if r.also != nil {
		r.also(p)
	}
	if n, err := r.file.Write(p); err != nil {
		p = p[:n]
	}
	r.size += len(p)
	if r.lines += bytes.Count(p, []byte{'\n'}); r.lines >= 2*jobs.RingLines ||
		r.size >= 2*jobs.RingBytes {
		r.shrink()
	}
}

// shrink replaces the file by one with the last lines. A command may be able to write the
// folder, so a link that it left there is not followed.
func (r *Ring) shrink() {
	rest, name := r.last(), filepath.Base(r.path)
	r.dir.Remove(name + ".new")
	next, err := r.dir.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	if _, err := next.Write(rest); err != nil || r.dir.Rename(name+".new", name) != nil {
		r.dir.Remove(name + ".new")
		next.Close()
		return
	}
	r.file.Close()
	r.file, r.size, r.lines = next, len(rest), bytes.Count(rest, []byte{'\n'})
}

// last returns the last lines of the file.
func (r *Ring) last() []byte {
	b := make([]byte, min(r.size, 2*jobs.RingBytes))
	n, err := r.file.ReadAt(b, int64(max(0, r.size-len(b))))
	if err != nil && err != io.EOF {
		return nil
	}
	b = b[:n]
	return jobs.Last(b, jobs.RingLines)
}
