package agentloop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// viaStage is the name of the engine's stage in the journal. The engine runs a whole
// agent elsewhere.
const viaStage = "via"

// farRequest is the first line that the agent's side reads: the whole command line, with the
// options that are not its. It is JSON, so that no shell on the way has to be told how to quote
// arguments.
type farRequest struct {
	Args []string `json:"command_line"`
}

// engine returns the command of an engine: the user's shell line with our own words at
// its end. It starts a ua, which may find a key in no other place than its environment.
func (l *loop) engine() stage.Command {
	c := stage.Custom(viaStage, l.o.via+" ua far")
	c.Env = append(c.Env, l.keys...)
	c.Own, c.Runs, c.Group = true, true, true
	return c
}

// hand sends the other side its request and the content of stdin.
func (l *loop) hand() error {
	line, err := json.Marshal(farRequest{l.o.far.args})
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	l.toThink.Put(line)
	if input := l.o.far.input; len(input) > 0 {
		l.toThink.Put(bytes.TrimSuffix(input, []byte("\n"))) // the queue ends it with one
	}
	l.toThink.End()
	return nil
}

// fromFar passes on a line of the agent. Its run event becomes a via event, and its
// summary is kept for the end, because the run here has its own ID and its own end.
func (l *loop) fromFar(line []byte) {
	switch f := l.o.far; event.Type(line) {
	case "run":
		f.began = true
		l.toJournal.Offer(event.New("via").Str("id", event.Str(line, "id")).
			Str("cwd", event.Str(line, "cwd")).Int("pid", gjson.GetBytes(line, "pid").Int()).Line())
	case "instruction":
	case "summary":
		f.summary = line
	default:
		l.toJournal.Offer(line)
	}
}

// keepFar acts on an event of a run elsewhere that the journal has kept.
func (l *loop) keepFar(typ string, line []byte) {
	if typ != "response" {
		return
	}
	l.o.far.answer = line
	if event.Calls(line) {
		l.o.far.answer = nil
	}
}

// farEnd returns how the run elsewhere has ended: as its summary says or, without one, as
// the engine has ended.
func (l *loop) farEnd() outcome {
	f, s := l.o.far, l.stages[0]
	if f.summary != nil {
		if f.answer != nil {
			if err := l.show.Answer(f.answer); err != nil {
				return stdoutFailed(err)
			}
		}
		status, ok := exitStatus(gjson.GetBytes(f.summary, "exit_code"))
		if !ok {
			return outcome{prog.Trouble, viaStage, "its run's summary names no exit status", false}
		}
		return outcome{status,
			cmp.Or(event.Str(f.summary, "stage"), viaStage), event.Str(f.summary, "message"),
			gjson.GetBytes(f.summary, "retryable").Bool()}
	}
	s.Wait(stage.Grace)
	status, how := s.Failure()
	// Without a summary nothing is known about the result, so the run may be tried again.
	what := "its run had ended"
	if !f.began {
		what = "its run had begun"
	}
	o := outcome{prog.TryLater, viaStage, fmt.Sprintf("%s %s before %s", l.o.via,
		cmp.Or(how, "ended"), what), true}
	if said := s.Said(); said != "" {
		o.message += ": " + said
	}
	if !f.began && (status == prog.NotFound || status == prog.Trouble || status == prog.No) {
		o.status, o.retryable = status, false // the engine or the options are wrong
	}
	return o
}

// exitStatus reads the status that another side gives for its run. Only a whole number
// from 0 to 255 is one: exit(3) keeps eight bits, so 256 would become a success.
func exitStatus(said gjson.Result) (status int, ok bool) {
	status = int(said.Int())
	return status, said.Type == gjson.Number && said.Raw == strconv.Itoa(status) &&
		status >= 0 && status <= 255
}

// stdoutGone returns a channel that is closed when nobody reads standard output any more.
// It is nil for a run that goes on without a reader. poll(2) reports errors of a pipe
// even when no events are asked for.
func (l *loop) stdoutGone() <-chan struct{} {
	if !l.o.leashed {
		return nil
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			fds := []unix.PollFd{{Fd: int32(l.env.Stdout.Fd())}} // its errors are always told
			if _, err := unix.Poll(fds, -1); err != unix.EINTR {
				return
			}
		}
	}()
	return gone
}

// firstLine reads one line, byte by byte, so that everything behind it is left for who
// reads next.
func firstLine(f *os.File) (line []byte, err error) {
	for b := make([]byte, 1); len(line) < 4<<20; {
		n, err := f.Read(b)
		if n == 1 && b[0] == '\n' {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		line = append(line, b[:n]...)
	}
	return nil, fmt.Errorf("the line is too long")
}
