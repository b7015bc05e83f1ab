// Package audit writes the user's audit log: what every agent of the user proposed, was
// allowed and did (ua-journal(1), FILES).
package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A Log adds the events of one run to the user's audit log. Any number of processes write
// to that.
type Log struct {
	Path   string
	Run    string // whose events these are
	folder string // the run's, in which its subagents' lie
	retain int    // days that a month of the past is kept, 0: for ever
	f      *os.File
	month  string // in which f was opened
	sure   bool   // f is the log, for lines that came at once
}

// Open opens the audit log for the events of the journal at path. The log can be moved
// but not switched off: a top-level run that cannot write it does not begin. A subagent
// in a sandbox cannot write it. Then confined is true, and the parent adds the subagent's
// events when that has ended. retain is how many days past months are kept, 0 for ever.
func Open(path string, retain int) (l *Log, confined bool, err error) {
	l = &Log{Path: run.AuditPath(), Run: cut(path, 200), folder: filepath.Dir(path), retain: retain}
	if filepath.Base(path) == run.JournalFile {
		if dir, err := filepath.Abs(l.folder); err == nil {
			l.Run = filepath.Base(dir)
		}
	}
	// Only a subagent may do without the log: its parent stands for it.
	depth, _ := strconv.Atoi(os.Getenv(run.EnvDepth))
	if depth > 0 && os.Getenv(run.EnvSandbox) != "" {
		return nil, true, nil
	}
	if err = l.open(); err == nil {
		return l, false, nil
	}
	if depth > 0 && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		return nil, true, nil
	}
	return nil, false, prog.Errorf(prog.Trouble, "audit log: %w", err).
		Hintf("UA_AUDIT=FILE puts it elsewhere")
}

// open opens the log of this month, and puts the last month's aside.
func (l *Log) open() error {
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return err
	}
	if err := store.OwnFolder(filepath.Dir(l.Path)); err != nil {
		return err
	}
	month := time.Now().UTC().Format("2006-01")
	if err := rotate(l.Path, month, l.retain); err != nil {
		return err
	}
	f, err := store.OpenOwn(l.Path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	l.Close()
	l.f, l.month = f, month
	return l.fence()
}

// fence ends a last line that a full disk has cut short, so that nothing is appended to
// it.
func (l *Log) fence() error {
	info, err := l.f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := l.f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = l.f.Write([]byte{'\n'})
	return err
}

// Record returns what the log keeps of an event, or nil. A nil Log keeps nothing: the
// parent run will.
func (l *Log) Record(line []byte) []byte {
	if l == nil || !audited(event.Type(line)) {
		return nil
	}
	return newRecord(l.Run, line)
}

// Add writes the record that Record made of an event. After the end of a subagent it adds
// the events that the subagent could not write itself.
func (l *Log) Add(line, record []byte) error {
	if l == nil || record == nil {
		return nil
	}
	if err := l.Write(record); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return l.adopt(l.folder, line, maxDepth)
}

// Write appends one line. It starts a new file when the month has changed or the log was
// removed.
func (l *Log) Write(record []byte) error {
	if !l.sure {
		var st syscall.Stat_t
		// A file without a name is lost when the last writer closes it.
		gone := syscall.Fstat(int(l.f.Fd()), &st) == nil && st.Nlink == 0
		if gone || l.month != time.Now().UTC().Format("2006-01") {
			if err := l.open(); err != nil {
				return err
			}
		}
		l.sure = true
	}
	_, err := l.f.Write(append(record, '\n'))
	return err
}

// Waited notes that time has passed, during which the log may have been removed. Until
// then Write does not look again.
func (l *Log) Waited() {
	if l != nil {
		l.sure = false
	}
}

// Close closes the log. It does nothing for a nil Log.
func (l *Log) Close() {
	if l != nil && l.f != nil {
		l.f.Close()
	}
}
