package main

import (
	"time"

	"ua/internal/common/jobs"
)

// newRecord returns the record of a command in the background, with secrets removed from
// its text.
func (e *execution) newRecord() *jobs.Record {
	command, _ := e.x.environ.Secrets.Text(e.call.command)
	return &jobs.Record{
		CallID: e.call.id, Command: command, Profile: string(e.call.profile), PID: e.pid,
		State: jobs.Running, Log: e.later, Started: e.began.UTC(),
		Socket: e.x.control.name(),
	}
}

// hasEnded adds to a record how the command has ended.
func hasEnded(r *jobs.Record, g gone) {
	now := time.Now().UTC()
	code, signal := g.end.Code()
	r.State, r.ExitCode, r.Signal, r.Ended = jobs.Ended, &code, signal, &now
	if g.refuse != "" {
		r.State, r.Reason, r.ExitCode = jobs.Refused, g.refuse, nil
	}
}
