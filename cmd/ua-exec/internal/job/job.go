// Package job keeps the commands in the background, and lets programs start and steer them.
package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"ua/cmd/ua-exec/internal/command"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/capture"
	"ua/internal/common/descriptor"
	"ua/internal/common/jobs"
)

// A job is a command in the background.
type job struct {
	*command.Command
	runner *command.Runner
	typing sync.Mutex    // held by who writes to its stdin
	over   chan struct{} // closed when it has ended

	pattern *regexp.Regexp // of the lines that are counted, nil for none
	line    []byte         // what has come of the last one
	mu      sync.Mutex     // held while the record is changed
	record  *jobs.Record
}

// newJob makes a command that has been started a job: it gets a record, and what it prints
// goes to a ring. What it has printed so far is returned, too.
func newJob(r *command.Runner, c *command.Command, wake *regexp.Regexp) (*job, *capture.Result) {
	text, _ := r.Environ.Secrets.Text(c.Call.Command)
	j := &job{Command: c, runner: r, over: make(chan struct{}), pattern: wake, record: &jobs.Record{
		CallID: c.Call.ID, Command: text, Profile: string(c.Call.Profile), PID: c.PID,
		State: jobs.Running, Started: c.Began.UTC(),
	}}
	if r.Socket != "" {
		j.record.Socket = filepath.Base(r.Socket)
	}
	c.Asked = make(chan time.Duration)
	got, log := c.GoOn(j.look)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Log = log
	c.Record = r.Folder.Record(c.Call.ID, "", j.record)
	return j, got
}

// watch waits for the end of the job, or ends it at the time limit of its call. The next
// result reports it.
func (j *job) watch() {
	j.Wait(j.Call.Timeout, 0)
	j.FinishLater()
	j.mu.Lock()
	now := time.Now().UTC()
	code, signal := j.Ended.Code()
	r := j.record
	r.State, r.ExitCode, r.Signal, r.Ended, r.Left = jobs.Ended, &code, signal, &now, len(j.Left)
	if j.Refused != "" {
		r.State, r.Reason, r.ExitCode = jobs.Refused, j.Refused, nil
	}
	j.runner.Folder.Record(j.Call.ID, j.Record, r)
	j.mu.Unlock()
	close(j.over)
	j.runner.Background.Done(&command.Ending{CallID: j.Call.ID, Ended: j.Ended, Refused: j.Refused})
}

// Limits on what is matched with --wake, in bytes.
const (
	wakeMax  = 1000    // of the pattern
	wakeLine = 4 << 10 // of a line
)

// wakePattern returns the pattern of a request (ua job start --wake), nil for none.
func wakePattern(text string) (re *regexp.Regexp, err error) {
	if text == "" {
		return nil, nil
	}
	if re, err = regexp.Compile(text[:min(len(text), wakeMax)]); err != nil {
		err = fmt.Errorf("--wake: %w", err)
	}
	return re, err
}

// look counts, in the job's record, the lines of its output that are complete now and match.
// What drives the run reads it there. Of a very long line only the beginning is seen.
func (j *job) look(p []byte) {
	for j.pattern != nil {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		j.line = append(j.line, part[:min(len(part), wakeLine-len(j.line))]...)
		if !whole {
			return
		}
		if j.pattern.Match(j.line) {
			j.matched(string(j.line))
		}
		j.line, p = j.line[:0], rest
	}
}

// matched writes down a line that matches.
func (j *job) matched(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Matches, j.record.Matched = j.record.Matches+1, line
	if j.Record != "" {
		j.runner.Folder.Record(j.Call.ID, j.Record, j.record)
	}
}

// isOver reports whether the job has ended.
func (j *job) isOver() bool {
	select {
	case <-j.over:
		return true
	default:
		return false
	}
}

// reply returns the state of the job.
func (j *job) reply() jobs.Reply {
	r := jobs.Reply{Job: jobs.Name(j.Record), State: jobs.Running}
	if j.isOver() {
		code, _ := j.Ended.Code()
		r.State, r.ExitCode = jobs.Ended, &code
	}
	return r
}

// end ends the job and the processes that it has left, which have a grace of so many
// milliseconds, 0 for the usual one.
func (j *job) end(ms float64) jobs.Reply {
	grace := j.runner.Options.Grace
	if ms > 0 {
		grace = time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	select {
	case j.Asked <- grace:
		<-j.over
	case <-j.over:
	}
	j.runner.EndAll(func() []process.Process {
		return slices.DeleteFunc(j.runner.Children.Descendants(), func(p process.Process) bool {
			return p.Session != j.PID && !slices.ContainsFunc(j.Left,
				func(l process.Process) bool { return l.ID == p.ID })
		})
	}, grace)
	return j.reply()
}

// requestTime is how long a request may take to come, and how long the proof of a right and
// each write may take.
const requestTime = time.Second

// feed copies in to the stdin of a job, as fast as the job reads. A job that does not
// read holds up the copy until the client has gone.
func (j *job) feed(conn *net.UnixConn, in io.Reader, eof bool) (r jobs.Reply) {
	r.Job = jobs.Name(j.Record)
	if !j.typing.TryLock() {
		return jobs.Reply{Error: "another program is writing to it"}
	}
	defer j.typing.Unlock()
	for buf := make([]byte, 32<<10); ; {
		n, readErr := in.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			// A command may not read for long. Between the attempts its end is noticed.
			_ = j.Stdin.SetWriteDeadline(time.Now().Add(requestTime))
			k, err := j.Stdin.Write(rest)
			rest, r.Bytes = rest[k:], r.Bytes+int64(k)
			if err == nil || errors.Is(err, os.ErrDeadlineExceeded) && !descriptor.HungUpNow(conn) {
				continue
			}
			r.Error = "it no longer reads"
			return r
		}
		if readErr != nil {
			break
		}
	}
	if eof {
		j.Stdin.Close()
	}
	return r
}
