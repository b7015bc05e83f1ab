package command

import (
	"fmt"
	"os"
	"strings"
	"time"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/credential"
	"ua/cmd/ua-exec/internal/output"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/statuschannel"
)

// A Command is one from its start to its result.
type Command struct {
	Call   *call.Call
	Newest *output.Newest // gets what it prints, if somebody looks
	Dir    string         // in which it starts, if not the usual one

	PID     int // of the shell, and so of its session and group
	Began   time.Time
	Output  *output.Output
	Ended   process.Ended
	Refused string            // why ua-sandbox has not run it, or ""
	Left    []process.Process // what still runs

	// of a command in the background
	Stdin  *os.File           // gets what ua job in writes
	Asked  chan time.Duration // has it ended, with that grace
	Record string             // path of its record

	runner     *Runner
	exited     <-chan process.Ended
	credential *credential.Credential  // of its rights
	report     *statuschannel.Pipeline // of the pipeline's statuses
	notRun     *statuschannel.Channel  // what ua-sandbox says when it does not run the command
	netLog     *statuschannel.Channel  // what the proxy of its own sandbox says
	parts      []int                   // statuses of the last pipeline's parts, if bash told
	status     string
	limit      string // "time", "idle" or "pids" when a limit ended it
	took       time.Duration
	strays     int      // how many processes were ended, since they were too many
	unlanded   []string // what of its changes in repositories was refused
	later      string   // path of the file with what that prints
	lost       error    // why that is kept nowhere, nil if it is
}

// Command returns the command of a call, which can be started.
func (r *Runner) Command(c *call.Call) *Command {
	return &Command{runner: r, Call: c, status: "run"}
}

// notes are lines to the model below the output of a command, outside of its frame
// (capture.Frame).
type notes struct{ lines []string }

func (n *notes) add(lines ...string) { n.lines = append(n.lines, lines...) }

func (n *notes) addf(format string, a ...any) { n.add(fmt.Sprintf(format, a...)) }

func (n *notes) text() string {
	var b strings.Builder
	for _, line := range n.lines {
		b.WriteString("[ua-exec: " + line + "]\n")
	}
	return b.String()
}
