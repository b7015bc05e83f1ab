package main

import (
	"encoding/json"
	"path/filepath"
	"time"
)

// A record is what is kept of a command in the background, as JSON in a file beside
// its log, from its start on and also when it has ended.
type record struct {
	CallID   string     `json:"call_id"`
	Command  string     `json:"command"`
	Profile  string     `json:"profile"`
	PID      int        `json:"pid"`   // of the shell, and so of its process group
	State    string     `json:"state"` // running, ended, or refused: it was not run
	ExitCode *int       `json:"exit_code,omitempty"`
	Signal   string     `json:"signal,omitempty"`
	Reason   string     `json:"reason,omitempty"` // of refused
	Log      string     `json:"log,omitempty"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended,omitempty"`
}

// newRecord is the record of the execution, which runs in the background.
func (e *execution) newRecord() *record {
	command, _ := e.x.environ.secrets.Text(e.call.command)
	return &record{
		CallID: e.call.id, Command: command, Profile: string(e.call.profile), PID: e.pid,
		State: "running", Log: e.later, Started: e.began.UTC(),
	}
}

// ended takes up how the command has ended.
func (r *record) ended(g gone) {
	now := time.Now().UTC()
	code, signal := g.end.code()
	r.State, r.ExitCode, r.Signal, r.Ended = "ended", &code, signal, &now
	if g.refuse != "" {
		r.State, r.Reason, r.ExitCode = "refused", g.refuse, nil
	}
}

// record puts the record into the file of that path, or a new one, whole: a reader
// never sees a part. It returns the path, or "" when there is none.
func (f *folder) record(c *call, path string, r *record) string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.open(c, ".job")
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
