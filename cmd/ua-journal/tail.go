package main

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/descriptor"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

// tailVerb prints the end of a journal and, with -f, what is added to it later.
func tailVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var n int
	prog.Number(fs, &n, "n", 10, 0, 0)
	follow := fs.Bool("f", false, "")
	fs.BoolVar(follow, "follow", false, "")
	j, size, err := parseAndOpen(env, fs, args)
	if err != nil {
		return err
	}
	return printTail(j, size, n, *follow, env.Out(), env.Stdout)
}

// printTail prints the last n lines of a journal to out, which writes to term, and with follow
// what is added to it later.
func printTail(j *os.File, size int64, n int, follow bool, out io.Writer, term *os.File) error {
	at, err := store.LastLines(j, size, n)
	switch {
	case err != nil:
		return err
	case follow:
		return (&tail{f: j, path: j.Name(), at: at, out: out, term: term}).follow()
	}
	_, err = io.Copy(out, io.NewSectionReader(j, at, size-at))
	return err
}

// A tail prints the whole lines of a file as they come.
type tail struct {
	f    *os.File
	path string
	at   int64 // up to where it is printed
	out  io.Writer
	term *os.File // what out writes to
}

// follow prints what is added, until nobody reads stdout any more.
func (t *tail) follow() error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Add(filepath.Dir(t.path)); err != nil { // where another file may replace it
		return err
	}
	gone := make(chan bool)
	go func() {
		descriptor.HungUp(t.term)
		close(gone)
	}()
	for {
		if err := t.more(); err != nil {
			return err
		}
		now, err := os.Stat(t.path)
		mine, err2 := t.f.Stat()
		if err == nil && err2 == nil && !os.SameFile(now, mine) {
			if err := t.reopen(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-w.Events:
		case <-w.Errors:
		case <-time.After(time.Second): // some file systems report nothing
			if v, ok := t.out.(*view); ok {
				if err := v.idle(); err != nil {
					return err
				}
			}
		case <-gone:
			return nil
		}
	}
}

// more prints the whole lines after what was printed.
func (t *tail) more() error {
	info, err := t.f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < t.at {
		t.at = 0 // it was cut short: its lines are other ones now
	}
	end, err := store.LastNewline(t.f, t.at, info.Size())
	if err != nil || end == t.at {
		return err
	}
	_, err = io.Copy(t.out, io.NewSectionReader(t.f, t.at, end-t.at))
	t.at = end
	return err
}

// reopen continues in the file that has replaced the old one: at its beginning or, if it
// is the same journal redacted, after the same number of lines.
func (t *tail) reopen() error {
	if err := t.more(); err != nil {
		return err
	}
	f, err := safefile.Open(t.path)
	if err != nil {
		return err
	}
	old := t.f
	defer old.Close()
	at := t.at
	t.f, t.at = f, 0
	// Sums are the same for a line and its stub, so a redacted copy compares equal.
	was, now := event.NewReader(io.NewSectionReader(old, 0, at)), event.NewReader(f)
	for behind := int64(0); ; {
		a, err := was.Line()
		if err == io.EOF {
			t.at = behind
			return nil
		}
		b, err2 := now.Line()
		if err != nil || err2 != nil || journal.Sum(a) != journal.Sum(b) {
			return nil
		}
		behind += int64(len(b)) + 1
	}
}
