package ring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
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

// runVia does the task by an engine. Options about the agent's work go to the other side;
// those about this process stay here.
func runVia(env *prog.Env, o *options) error {
	s, err := settings.Load()
	if err != nil {
		return err
	}
	o.place()
	if o.parent != "" {
		return prog.Errorf(prog.Trouble, "--via: a subagent's run can't go through an engine")
	}
	if o.resume || o.last {
		return prog.Errorf(prog.Trouble,
			"--via: an earlier run can only be resumed where its journal is")
	}
	if err := knownEngine(o.via); err != nil {
		return err
	}
	f := &far{args: env.Args}
	t := task{text: strings.TrimSpace(strings.Join(o.words, " "))}
	// The other side gets stdin as it is. Here it serves as the task's text, for lists of
	// runs.
	if o.stdin || t.text == "" {
		if f.input, err = readStdin(env.Stdin); err != nil {
			return err
		}
	}
	if t.text == "" {
		t.text = strings.TrimSpace(strings.ToValidUTF8(string(f.input), "\uFFFD"))
	}
	if t.text == "" {
		return prog.Errorf(prog.No, "the task is empty").Hintf(`ua --via 'srun' "what is big in /var?"`)
	}
	here := &options{via: o.via, far: f, words: o.words, json: o.json,
		quiet: o.quiet, out: o.out, background: o.background,
		terms: terms{Agent: o.Agent, Model: o.Model, TimeLimit: o.TimeLimit}}
	if here.TimeLimit > 0 {
		here.TimeLimit += config.Duration(2 * stage.Grace) // it is the agent's, who says so itself
	}
	if err := here.readSystem(); err != nil {
		return err
	}
	if err := here.configure(env, s); err != nil {
		return err
	}
	here.splitPath()
	here.Try = config.TryNever // settings of this machine, which the other one has too
	return do(env, here, t)
}

// knownEngine refuses what has the name of an engine and is another program: moreutils has a
// parallel, too.
func knownEngine(via string) error {
	for word := range strings.FieldsSeq(via) {
		path, err := config.LookOutside(word)
		if err != nil || filepath.Base(word) != "parallel" {
			continue // what can't be started says so
		}
		c := exec.Command(path, "--version")
		c.Env = config.OutsideEnv(os.Environ())
		if out, _ := c.Output(); !strings.HasPrefix(string(out), "GNU parallel") {
			return prog.Errorf(prog.Trouble, "--via: %s is not GNU parallel", path).
				Hintf("install GNU parallel (in Debian the package parallel), or name it by its path")
		}
	}
	return nil
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

// Far is the agent's side of --via. It reads the arguments from the first line of
// standard input, does the task, and prints its events. help is the usage of a run.
func Far(env *prog.Env, help string) error {
	line, err := firstLine(env.Stdin)
	if err != nil && err != io.EOF {
		return prog.Errorf(prog.Trouble, "far: stdin: %v", err)
	}
	var q farRequest
	if err := json.Unmarshal(line, &q); err != nil || q.Args == nil {
		return prog.Errorf(prog.Trouble, "far: the first line of stdin is not a request").
			Hintf("ua --via CMD runs CMD ua far")
	}
	env.Args = q.Args
	return Work(env, help, true)
}

// leash has the run end when nobody reads its events any more, and leaves to the side that has
// started it what is that side's.
func (o *options) leash() {
	o.leashed, o.json = true, true
	o.via, o.out, o.quiet, o.background = "", "", false, false
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
