// Package redaction removes texts and lines from a journal.
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

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// A Redaction says what to remove, and counts what was removed.
type Redaction struct {
	Texts []string
	Lines []int64                       // numbers, from 1
	Warn  func(format string, a ...any) // tells where a text is still
	Count int64                         // of lines that became stubs
	drop  map[string]bool
}

// Journal redacts the journal at path. Nobody else may be writing it, so it takes the
// journal's lock. The new file is completely on the disk before it replaces the old one.
func (r *Redaction) Journal(path string) error {
	w, err := store.OpenWriter(path, false)
	if err != nil {
		return err
	}
	defer w.Close()
	r.drop = map[string]bool{}
	err = safefile.ReplaceBy(path, 0o600, true, func(f *os.File) error {
		out := bufio.NewWriterSize(f, 64<<10)
		if err := r.copy(out, w.File, w.Size); err != nil {
			return err
		}
		if r.Count == 0 {
			return prog.Errorf(prog.No, "%s: found nothing to redact", path)
		}
		return out.Flush()
	})
	if err == nil {
		r.elsewhere(path)
	}
	return err
}

// elsewhere removes media to which no line refers any more, and reports other files of the
// run that contain a text.
func (r *Redaction) elsewhere(path string) {
	dir := filepath.Dir(path)
	for ref, unused := range r.drop {
		if unused {
			os.Remove(filepath.Join(dir, ref))
		}
	}
	if filepath.Base(path) == run.JournalFile {
		r.name(dir)
	}
}

// name reports the files in a run's folder that contain one of the texts literally. Files
// of more than 64 MiB are reported without being searched.
func (r *Redaction) name(dir string) {
	filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() > 64<<20 {
			r.Warn("%s: too large to look into", name)
		} else if data, err := safefile.Read(name, 64<<20); err == nil && r.found(string(data)) {
			r.Warn("%s: contains it too", name)
		}
		return nil
	})
}

// copy copies a journal, with stubs in place of what is redacted.
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
			r.Warn("line %d: a name or a number still contains it", n)
		}
		for _, ref := range journal.Refs(line) {
			if _, seen := r.drop[ref]; !seen {
				r.drop[ref] = true
			}
		}
		// Another line may still refer to the same media.
		for _, ref := range journal.Refs(kept) {
			r.drop[ref] = false
		}
		out.Write(kept)
		out.WriteByte('\n')
		prev = journal.Sum(line)
	}
}

// stub returns the line without the texts. With whole only what identifies the event and
// its call is left of it. A line that needs no change is returned as it is. The stub
// carries the hash of the original, so that the chain still holds.
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
		// Compared without what ua-journal itself has added to the line.
		if bytes.Equal(now, bare) {
			return line
		}
		line = now
	}
	return journal.Stub(line, was, prev)
}

// found reports whether the text contains one of the texts to remove.
func (r *Redaction) found(text string) bool {
	return slices.ContainsFunc(r.Texts, func(t string) bool { return strings.Contains(text, t) })
}

// wanted returns the function that says what becomes of each string. The type of an event
// always stays, and with whole also what tells which event it is.
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

// tells reports whether a member identifies its event, or a block of a response its call.
func tells(path []string) bool {
	switch path[0] {
	case "ts", "id", "call_id", "name", "model", "status", "stop_reason":
		return len(path) == 1
	case "content":
		return len(path) == 2 && slices.Contains([]string{"type", "id", "name"}, path[1])
	}
	return false
}
