package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// auditMax is the longest line of the audit log with its newline, in bytes: a
// write of less than a page reaches the file in one piece.
const auditMax = 4000

// An auditor adds to the user's audit log what the runs of the user propose,
// decide and do. Any number of processes write to it.
type auditor struct {
	path   string
	run    string // whose events these are
	folder string // the run's, in which its subagents' lie
	retain int    // days that a month of the past is kept, 0: for ever
	f      *os.File
	month  string // in which f was opened
	sure   bool   // f is the log, for lines that came at once
}

// auditPath is the audit log: $UA_AUDIT, or audit.jsonl among the user's runs.
func auditPath() string {
	if path := os.Getenv("UA_AUDIT"); path != "" {
		return path
	}
	return filepath.Join(config.StateDir(), "audit.jsonl")
}

// newAuditor opens the audit log for the events of the journal at path. The log
// can be moved but not switched off: a top-level run that can't write it does
// not begin. A subagent in a sandbox can't: confined says so, and its parent
// adds its events when it ends.
func newAuditor(path string, retain int) (a *auditor, confined bool, err error) {
	a = &auditor{path: auditPath(), run: cut(path, 200), folder: filepath.Dir(path), retain: retain}
	if filepath.Base(path) == "journal.jsonl" {
		if dir, err := filepath.Abs(a.folder); err == nil {
			a.run = filepath.Base(dir)
		}
	}
	depth, _ := strconv.Atoi(os.Getenv("UA_DEPTH"))
	if depth > 0 && os.Getenv("UA_SANDBOX") != "" {
		return nil, true, nil
	}
	if err = a.open(); err == nil {
		return a, false, nil
	}
	if depth > 0 && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		return nil, true, nil
	}
	return nil, false, prog.Errorf(prog.Trouble, "audit log: %w", err).Hintf("UA_AUDIT=FILE moves it")
}

// open opens the log of this month.
func (a *auditor) open() error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err
	}
	if err := ownFolder(filepath.Dir(a.path)); err != nil {
		return err
	}
	month := time.Now().UTC().Format("2006-01")
	if err := rotate(a.path, month, a.retain); err != nil {
		return err
	}
	f, err := openOwn(a.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	a.close()
	a.f, a.month = f, month
	return a.fence()
}

// fence ends a last line that a full disk cut short.
func (a *auditor) fence() error {
	info, err := a.f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := a.f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = a.f.Write([]byte{'\n'})
	return err
}

// entry is what the log keeps of an event, or nil. A nil auditor leaves it to the
// parent run.
func (a *auditor) entry(line []byte) []byte {
	if a == nil || !audited(event.Type(line)) {
		return nil
	}
	return auditEntry(a.run, line)
}

// add writes the entries of events that came at once, and returns of how many.
func (a *auditor) add(pieces []piece) (int, error) {
	a.waited()
	for i := range pieces {
		p := &pieces[i]
		if p.entry == nil {
			continue
		}
		if err := a.write(p.entry); err != nil {
			return i, fmt.Errorf("audit log: %w", err)
		}
		if err := a.adopt(a.folder, p.line, maxDepth); err != nil {
			return i, err
		}
	}
	return len(pieces), nil
}

// write appends one line, to a new file when the month ends or the log is gone.
func (a *auditor) write(entry []byte) error {
	if !a.sure {
		var st syscall.Stat_t
		gone := syscall.Fstat(int(a.f.Fd()), &st) == nil && st.Nlink == 0
		if gone || a.month != time.Now().UTC().Format("2006-01") {
			if err := a.open(); err != nil {
				return err
			}
		}
		a.sure = true
	}
	_, err := a.f.Write(append(entry, '\n'))
	return err
}

// waited says that time has passed, in which the log may have gone.
func (a *auditor) waited() {
	if a != nil {
		a.sure = false
	}
}

func (a *auditor) close() {
	if a != nil && a.f != nil {
		a.f.Close()
	}
}
