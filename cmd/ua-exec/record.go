package main

import (
	"encoding/json"
	"path/filepath"
	"time"

	"ua/internal/common/jobs"
)

// newRecord returns the record of the execution, which runs in the background.
func (e *execution) newRecord() *jobs.Record {
	command, _ := e.x.environ.secrets.Text(e.call.command)
	return &jobs.Record{
		CallID: e.call.id, Command: command, Profile: string(e.call.profile), PID: e.pid,
		State: jobs.Running, Log: e.later, Started: e.began.UTC(),
		Socket: e.x.control.name(),
	}
}

// hasEnded adds to the record how the command has ended.
func hasEnded(r *jobs.Record, g gone) {
	now := time.Now().UTC()
	code, signal := g.end.code()
	r.State, r.ExitCode, r.Signal, r.Ended = jobs.Ended, &code, signal, &now
	if g.refuse != "" {
		r.State, r.Reason, r.ExitCode = jobs.Refused, g.refuse, nil
	}
}

// record puts the record into the file of that path, or a new one, whole: a reader
// never sees a part. It returns the path, or "" when there is none.
func (f *folder) record(c *call, path string, r *jobs.Record) string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.open(c, jobs.Suffix)
	if err != nil {
		return ""
	}
	_, err = file.Write(append(text, '\n'))
	if closed := file.Close(); err != nil || closed != nil {
		_ = f.dir.Remove(filepath.Base(file.Name()))
		return path
	}
	if path == "" {
		return file.Name()
	}
	if f.dir.Rename(filepath.Base(file.Name()), filepath.Base(path)) != nil {
		_ = f.dir.Remove(filepath.Base(file.Name()))
	}
	return path
}
