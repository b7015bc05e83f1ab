// Package jobs defines what is kept of commands in the background and how they are
// controlled. ua-exec keeps them, and ua job asks for them.
package jobs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ua/internal/common/prog"
)

// The variables by which a command that starts ua reaches the background jobs of its run.
const (
	EnvSocket = "UA_JOBS"       // the socket that starts and steers them
	EnvToken  = "UA_JOBS_TOKEN" // stands for the profile of the command that has it
)

// The names of files for jobs in the folder of outputs. The socket of a ua-exec outside
// of the sandbox has its own name.
const (
	Suffix     = ".job" // of a job's record
	Socket     = "jobs.sock"
	SocketOver = "jobs-over.sock"
)

// Asked is the kind of a delta with a request that ua-exec passes on to the run's driver.
const Asked = "request"

// Address returns a path of the socket of that name in a folder. It is short enough for a
// socket's address, 107 bytes (unix(7)), whatever the folder's path is.
func Address(dir *os.File, name string) string {
	if runtime.GOOS != "linux" {
		return filepath.Join(dir.Name(), name)
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), name)
}

// The states of a job.
const (
	Running = "running"
	Ended   = "ended"
	Refused = "refused" // its sandbox could not be applied, so it was not run
)

// A Record is what is kept of a job, as JSON in a file beside its log. It exists from the
// job's start on, and stays when the job has ended.
type Record struct {
	CallID   string     `json:"call_id"`
	Command  string     `json:"command"`
	Profile  string     `json:"profile"`
	PID      int        `json:"pid"` // of the shell, and so of its process group
	State    string     `json:"state"`
	ExitCode *int       `json:"exit_code,omitempty"`
	Signal   string     `json:"signal,omitempty"`
	Reason   string     `json:"reason,omitempty"` // of Refused
	Log      string     `json:"log,omitempty"`
	Left     int        `json:"left,omitempty"`   // processes that go on though the shell has ended
	Socket   string     `json:"socket,omitempty"` // by which it is steered: a name in the same folder
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended,omitempty"`
	Matches  int        `json:"matches,omitempty"` // lines that matched the pattern of --wake
	Matched  string     `json:"matched,omitempty"` // the last of them
}

// Name returns the name of the job whose record is at path.
func Name(path string) string { return strings.TrimSuffix(filepath.Base(path), Suffix) }

// A Request is what a program asks of the socket, as a line of JSON.
type Request struct {
	Do      string  `json:"do"`              // start, keep, recall, stop or in
	Token   string  `json:"token,omitempty"` // "": the right has to be proved
	Job     string  `json:"job,omitempty"`
	Command string  `json:"command,omitempty"` // of start and keep; of recall the words
	Dir     string  `json:"dir,omitempty"`     // where it starts
	Wake    string  `json:"wake,omitempty"`    // of start: a pattern of lines that are counted
	Grace   float64 `json:"grace_ms,omitempty"`
	EOF     bool    `json:"eof,omitempty"` // of in: no more will come
}

// A Reply is the answer to a Request, as a line of JSON.
type Reply struct {
	Create   string `json:"create,omitempty"` // make this file to prove the right, then write a line
	Job      string `json:"job,omitempty"`
	State    string `json:"state,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
	Text     string `json:"text,omitempty"` // what was recalled
	Error    string `json:"error,omitempty"`
}

// InFolder returns shell text that runs text in the folder dir, if that is another one than here.
func InFolder(dir, here, text string) string {
	if dir == "" || dir == here {
		return text
	}
	return "cd -- " + prog.Quoted(dir) + " || exit\n" + text
}

// Last returns the last lines of b, at most RingBytes of it.
func Last(b []byte, lines int) []byte {
	at := len(b)
	for n := 0; at > 0 && len(b)-at < RingBytes; at-- {
		if b[at-1] == '\n' && at < len(b) {
			if n++; n >= lines {
				break
			}
		}
	}
	return b[at:]
}

// Limits of a job's log. It holds at least the last RingLines lines and at most twice as
// many, and of very long lines RingBytes.
const (
	RingLines = 1000
	RingBytes = 1 << 20
)

// SettleTime is how long a new job is watched before anything is said about it, so that
// one that fails at once is reported as failed.
const SettleTime = 200 * time.Millisecond
