// Package statuschannel lets bash and ua-sandbox report on a command through descriptors of
// their own. Nothing that the command prints can be mistaken for such a report.
package statuschannel

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/event"
)

// The descriptors in the programs of a command. They are high, so that no script takes
// one for its own.
const (
	NetLogFD  = 185
	NotRunFD  = 186
	StatusFD  = 187
	PreludeFD = 188
	ScriptFD  = 189
)

// A Channel is the pipe of one of these descriptors. A nil one reports nothing.
type Channel struct{ fd, r, w int }

// NewChannel makes the pipe for descriptor fd.
func NewChannel(fd int) (*Channel, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	return &Channel{fd, r, w}, nil
}

// Give adds the descriptor to those of a command, and to theirs what only the command
// needs.
func (c *Channel) Give(f pipe.Files, theirs *pipe.Ends) pipe.Files {
	theirs.Add(pipe.Descriptor(c.w))
	return f.Put(c.fd, uintptr(c.w))
}

// read returns at most so many bytes of what was reported, and closes the pipe. It does
// not wait: a process that holds the other end open must not delay a result.
func (c *Channel) read(most int) []byte {
	if c == nil {
		return nil
	}
	defer syscall.Close(c.r)
	b := make([]byte, most)
	n, err := syscall.Read(c.r, b)
	if err != nil || n <= 0 {
		return nil
	}
	return b[:n]
}

// NotRun returns why ua-sandbox did not run the command, or "" if it did (ua-sandbox(1),
// --status-fd). Call it once, after ua-sandbox has ended.
func (c *Channel) NotRun() string { return why(c.read(16 << 10)) }

// Refused returns why requests were refused by the proxy of the command's own ua-sandbox
// (ua-sandbox(1), --net-log-fd). Call it once.
func (c *Channel) Refused() (list []string) {
	for line := range bytes.Lines(c.read(64 << 10)) {
		if event.Str(line, "decision") == "deny" {
			list = append(list, event.Str(line, "reason"))
		}
	}
	return list
}

// why returns the reason in an event of ua-sandbox, or "" if there is no event.
func why(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if why := strings.TrimSpace(gjson.GetBytes(text, "message").Str); why != "" {
		return why
	}
	return "ua-sandbox gave no reason"
}

// ArgMax is the limit for one argument of a program in bytes, including its end
// (execve(2), MAX_ARG_STRLEN). A longer command, such as one that writes a file with a
// here-document, reaches the shell through a descriptor.
const ArgMax = 128 << 10

// FromScript makes bash or sh run the text from that descriptor. $0, line numbers and
// everything else are as if the text were the argument.
const FromScript = `eval "exec 189<&-; $(cat /proc/self/fd/189)"`

// NewScript returns a file with the command's text, or nil if the text fits into one
// argument. The error is E2BIG if there are no such files.
func NewScript(text string) (*os.File, error) {
	if len(text) < ArgMax {
		return nil, nil
	}
	if f := NewSealed(text); f != nil {
		return f, nil
	}
	return nil, syscall.E2BIG
}

// leaseTime is how long the proxy may take to lease a password. A busy machine is slow.
const leaseTime = 10 * time.Second

// proxyTime is how long the proxy, which is on this machine, may take to answer a
// question.
const proxyTime = 500 * time.Millisecond

// PreludeEnv makes bash read the prelude.
const PreludeEnv = "BASH_ENV=/proc/self/fd/188"

// Prelude is what such a bash reads first, through BASH_ENV. When bash exits, it reports
// the exit statuses of the last pipeline. The text of the command stays as it was judged.
// A command that sets an EXIT trap of its own, or that execs, keeps its behaviour; then
// nothing is reported.
const Prelude = `unset BASH_ENV
exec 188<&-
trap '{ builtin set -- "${PIPESTATUS[@]}"; builtin set +x; } 2>/dev/null; builtin printf "%s " ` +
	`"$@" >&187 2>/dev/null || builtin :' EXIT
`

// A Pipeline is the channel on which bash reports the statuses of a pipeline. A nil
// Pipeline reports nothing.
type Pipeline struct {
	*Channel
	prelude *os.File
}

// NewPipeline returns the channel for a command, or nil if its text has no pipeline.
func NewPipeline(prelude *os.File, command string) *Pipeline {
	if prelude == nil || !strings.ContainsRune(command, '|') {
		return nil
	}
	c, err := NewChannel(StatusFD)
	if err != nil {
		return nil
	}
	return &Pipeline{c, prelude}
}

// Give adds the descriptors of the channel to those of a command.
func (p *Pipeline) Give(f pipe.Files, theirs *pipe.Ends) pipe.Files {
	return p.Channel.Give(f, theirs).Put(PreludeFD, p.prelude.Fd())
}

// Statuses returns what was reported, or nil. Call it once.
func (p *Pipeline) Statuses() []int {
	if p == nil {
		return nil
	}
	return parseStatuses(string(p.read(512)))
}

// parseStatuses parses exit statuses separated by spaces. Anything else makes the result
// nil, because whatever the command runs can write to the channel too.
func parseStatuses(text string) (list []int) {
	for _, word := range strings.Fields(text) {
		status, err := strconv.ParseUint(word, 10, 8)
		if err != nil {
			return nil
		}
		list = append(list, int(status))
	}
	return list
}
