package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/run"
)

// adopt adds the events of a subagent's journal that the subagent could not write to the
// audit log itself. It does so when line is the end of that subagent; the journal is
// below folder and says in an "audit" event from where on the log was out of reach. The
// error is that of writing the log.
func (l *Log) adopt(folder string, line []byte, depth int) error {
	if event.Type(line) != "subagent" {
		return nil
	}
	id := event.Str(line, "id")
	// The ID comes from an event and must not lead out of the folder.
	if event.Str(line, "state") != "end" || !filepath.IsLocal(id) || strings.Contains(id, "/") {
		return nil
	}
	child := filepath.Join(folder, run.SubFolder, id)
	err := l.journal(id, child, depth)
	var unread *unreadError
	if errors.As(err, &unread) {
		return l.Write(event.New("unaudited").Str("run", l.Run).Str("id", cut(id, 100)).
			Str("message", cut(unread.Error(), 500)).Line())
	}
	return err
}

// An unreadError says why the journal of a subagent could not be read completely. It
// becomes a line of the audit log and does not end the run.
type unreadError struct{ error }

// journal adds the events after the "audit" event of a subagent's journal, and the event
// before it if that is the only one.
func (l *Log) journal(id, folder string, depth int) error {
	f, err := os.OpenFile(filepath.Join(folder, run.JournalFile),
		os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return &unreadError{err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxAdopt || depth == 0 {
		return &unreadError{fmt.Errorf("%s: no journal of less than %d bytes and %d levels",
			f.Name(), maxAdopt, maxDepth)}
	}
	r := event.NewReader(io.LimitReader(f, maxAdopt))
	var first []byte // of the lines, until what follows it is known
	for n, unaudited := 0, false; ; n++ {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			continue
		case err != nil:
			return &unreadError{err}
		// The line before it is the run event, which could not be logged either.
		case event.Type(line) == "audit":
			line, first, unaudited = first, nil, true
		case n == 0:
			first = bytes.Clone(line)
		default:
			first = nil
		}
		if unaudited {
			err = l.bring(id, folder, line, depth)
		}
		if err != nil {
			return err
		}
	}
}

// bring adds one event of a subagent, if the log keeps its type, and then the subagents
// of that.
func (l *Log) bring(id, folder string, line []byte, depth int) error {
	if !audited(event.Type(line)) {
		return nil
	}
	if err := l.Write(newRecord(id, line)); err != nil {
		return err
	}
	return l.adopt(folder, line, depth-1)
}
