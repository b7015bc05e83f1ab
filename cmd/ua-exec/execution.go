package main

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/report"
)

// An execution is one command from its start to its result.
type execution struct {
	x          *executor
	queued     *queuedCall
	call       *call
	pid        int // of the shell, and so of its session and group
	began      time.Time
	exited     <-chan process.Ended
	credential *credential // of its rights
	output     *output
	report     *report.Pipeline // of the pipeline's statuses
	notRun     *report.Channel  // what ua-sandbox says when it does not run the command
	refuse     string           // and has said
	netLog     *report.Channel  // what the proxy of its own sandbox says
	ended      process.Ended
	parts      []int // exit statuses of the last pipeline's parts, if bash told them
	status     string
	limit      string // "time", "idle" or "pids" when a limit ended it
	took       time.Duration
	left       []process.Process // what still runs
	strays     int               // how many processes were ended, since they were too many
	unlanded   []string          // what of its changes in repositories was refused
	later      string            // path of the file with what that prints
	lost       error             // why that is kept nowhere, nil if it is

	// of a command in the background
	record  string             // path of its record
	starter string             // ID of the credential by which it was asked for, or ""
	from    string             // the folder in which it starts, if not the usual one
	stdin   *os.File           // gets what ua job in writes
	typing  sync.Mutex         // held by who writes there
	asked   chan time.Duration // has it ended, with that grace
	over    chan struct{}      // closed when it has ended
	wake    wake               // counts its lines that match
}

// notStarted says in words why a command could not be started.
func notStarted(err error) string {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return "the command is longer than the kernel takes in one argument (128 KiB): " +
			"put it into a file and run that"
	case errors.Is(err, syscall.EINVAL):
		return "the command holds a NUL byte"
	}
	return "the command could not be started: " + err.Error()
}

// text returns what the shell is given: the call's command, preceded by a cd if it starts
// in another folder.
func (e *execution) text() string {
	if e.from == "" || e.from == e.x.cwd {
		return e.call.command
	}
	return "cd -- '" + strings.ReplaceAll(e.from, "'", `'\''`) + "' || exit\n" + e.call.command
}
