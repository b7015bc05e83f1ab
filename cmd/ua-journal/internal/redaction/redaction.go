// Package redaction takes texts and lines out of a journal and the audit log.
package redaction

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/sjson"

	"ua/cmd/ua-journal/internal/audit"
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// A Redaction takes texts and lines out.
type Redaction struct {
	Texts []string
	Lines []int64                       // numbers, from 1
	Warn  func(format string, a ...any) // tells where a text is still
	Count int64                         // of lines that became stubs
	drop  map[string]bool
}

// Journal redacts the journal at path, which nobody else may be writing: the
// new one is whole on the disk before it takes the old one's place.
func (r *Redaction) Journal(path string) error {
	w, err := store.OpenWriter(path, false)
	if err != nil {
		return err
	}
	defer w.Close()
	tmp, err := os.CreateTemp(filepath.Dir(path), ".redact-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	r.drop = map[string]bool{}
	out := bufio.NewWriterSize(tmp, 64<<10)
	if err := r.copy(out, w.File, w.Size); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if r.Count == 0 {
		return prog.Errorf(prog.No, "%s: found nothing to redact", path)
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	journal.SyncFolder(filepath.Dir(path))
	return r.elsewhere(path)
}

// elsewhere takes the texts out of the audit log, removes media that no line
// refers to any more, and names the run's other files that hold a text.
func (r *Redaction) elsewhere(path string) error {
	dir := filepath.Dir(path)
	for ref, unused := range r.drop {
		if unused {
			os.Remove(filepath.Join(dir, ref))
		}
	}
	a, confined, err := audit.Open(path, 0)
	if err != nil {
		return err
	}
	if !confined {
		defer a.Close()
		if err := r.audit(a.Path); err != nil {
			return err
		}
		if err := a.Write(event.New("redaction").Str("run", a.Run).Int("lines",
			r.Count).Line()); err != nil {
			return err
		}
	}
	if filepath.Base(path) == run.JournalFile {
		r.name(dir)
	}
	return nil
}

// name names the files of a run's folder that have one of the texts in them as
// it stands. Those of more than 64 MiB are named in any case.
func (r *Redaction) name(dir string) {
	filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() > 64<<20 {
			r.Warn("%s: too large to look into", name)
		} else if data, err := regular.Read(name, 64<<20); err == nil && r.found(string(data)) {
			r.Warn("%s: holds it too", name)
		}
		return nil
	})
}

// copy copies a journal with what is to be redacted replaced by stubs.
func (r *Redaction) copy(out *bufio.Writer, j io.ReaderAt, size int64) error {
	var prev journal.Hash
	copy(prev[:], journal.First)
	in := event.NewReader(io.NewSectionReader(j, 0, size))
	for n := int64(1); ; n++ {
		line, err := in.Line()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		kept := r.stub(line, prev, slices.Contains(r.Lines, n))
		if !bytes.Equal(kept, line) {
			r.Count++
		}
		if r.found(string(kept)) {
			r.Warn("line %d: a name or a number holds it still", n)
		}
		for _, ref := range journal.Refs(line) {
			if _, seen := r.drop[ref]; !seen {
				r.drop[ref] = true
			}
		}
		for _, ref := range journal.Refs(kept) {
			r.drop[ref] = false
		}
		out.Write(kept)
		out.WriteByte('\n')
		prev = journal.Sum(line)
	}
}

// stub returns line, or what stays of it: all of it but the texts, or when it goes
// whole what it was and which call it belongs to.
func (r *Redaction) stub(line []byte, prev journal.Hash, whole bool) []byte {
	was := journal.Sum(line)
	if !event.Valid(line) {
		if !whole && !r.found(string(line)) {
			return line
		}
		line = event.Error("ua-journal", "a line that was no event is redacted", false)
	} else {
		bare := journal.Bare(line)
		if _, ok := journal.Redacted(line); ok { // a stub, which will be one again
			bare = journal.Unmarked(bare)
		}
		now := scrub(bare, r.wanted(whole))
		if whole {
			for _, name := range []string{"media", "attachments"} {
				now, _ = sjson.DeleteBytes(now, name)
			}
		}
		if p, ok := journal.Prev(line); ok {
			prev = p
		}
		if bytes.Equal(now, bare) {
			return line
		}
		line = now
	}
	return journal.Stub(line, was, prev)
}

func (r *Redaction) found(text string) bool {
	return slices.ContainsFunc(r.Texts, func(t string) bool { return strings.Contains(text, t) })
}

// wanted says what becomes of a string. The type of an event stays, and of a line that goes
// whole what tells which event it is.
func (r *Redaction) wanted(whole bool) func(path []string, text string) (string, bool) {
	return func(path []string, text string) (string, bool) {
		switch {
		case len(path) == 1 && path[0] == "type", whole && tells(path):
			return "", false
		case whole:
			return gone, text != ""
		}
		now := without(text, r.Texts)
		return now, now != text
	}
}

// tells reports whether a member tells which event its line is, or of which call a block
// of a response is.
func tells(path []string) bool {
	switch path[0] {
	case "ts", "id", "call_id", "name", "model", "status", "stop_reason":
		return len(path) == 1
	case "content":
		return len(path) == 2 && slices.Contains([]string{"type", "id", "name"}, path[1])
	}
	return false
}

// audit overwrites the texts in the audit log in place, since others add to it.
func (r *Redaction) audit(path string) error {
	files, err := audit.Aside(path)
	if err != nil {
		return err
	}
	for _, name := range append(files, path) {
		f, err := regular.Change(name)
		if err != nil {
			return err
		}
		err = r.overwrite(f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// overwrite puts stars over each string of a file's events that holds a text.
func (r *Redaction) overwrite(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return store.Each(f, info.Size(), store.Ignore, func(line []byte, at int64) error {
		for i := 0; i < len(line); i++ {
			if line[i] != '"' {
				continue
			}
			end := stringEnd(line, i)
			if text := line[i:end]; r.found(unquote(text)) {
				if _, err := f.WriteAt(bytes.Repeat([]byte{'*'}, len(text)-2),
					at+int64(i)+1); err != nil {
					return err
				}
			}
			i = end - 1
		}
		return nil
	})
}
