package ring

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/attachment"
	"ua/internal/common/event"
	"ua/internal/common/media"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// A task is what the user asks for.
type task struct {
	text        string
	attachments [][]byte // JSON objects
	resume      run.Run  // the run that goes on, if any
	stdin       *big     // what stdin holds, when it is too much to send; nil otherwise
}

// readTask takes the task from the operands or, when there are none, from
// stdin. With operands stdin is read only for "-".
func readTask(env *prog.Env, o *options) (t task, err error) {
	words := o.words
	if o.resume {
		if len(words) == 0 {
			return t, prog.Errorf(prog.Trouble, "no run given").
				Hintf("ua ps --all lists them; last is the newest")
		}
		if t.resume, err = runs.Find(o.folder(), words[0]); err != nil {
			verb := map[bool]string{false: "resume", true: "fork"}[o.fork]
			return t, AsTask(verb, words, err)
		}
		words = words[1:]
	}
	t.text = strings.TrimSpace(strings.Join(words, " "))
	switch {
	case len(words) == 0 && !o.resume:
		t.text, err = taskFromStdin(env, o.stdin)
	case o.stdin || slices.Contains(o.attach, "-"):
		err = t.attachStdin(env.Stdin, o.folder())
	}
	if err == nil && t.text == "" && !o.resume {
		err = prog.Errorf(prog.No, "the task is empty").Hintf(`ua "what is big in /var?"`)
	}
	if err == nil && o.resume && t.text == "" && len(o.attach)+len(t.attachments) == 0 &&
		t.stdin == nil && o.at == 0 && answered(t.resume) {
		err = prog.Errorf(prog.No, "%s already has its answer",
			t.resume.ID).Hintf(`ua resume %s "what next"`, t.resume.ID)
	}
	for _, path := range o.attach {
		if err == nil && path != "-" {
			err = t.attach(attachment.Read(path))
		}
	}
	if err == nil && len(t.instruction()) > longest {
		err = prog.Errorf(prog.Trouble, "the task and its attachments are longer than %d bytes",
			longest)
	}
	if err != nil {
		t.stdin.drop()
	}
	return t, err
}

// answered reports whether nothing came after a run's last whole answer: a model
// that is asked once more would take it for cut off.
func answered(r run.Run) (whole bool) {
	f, err := regular.Open(r.Journal())
	if err != nil {
		return false
	}
	defer f.Close()
	events := event.NewReader(f)
	for {
		line, err := events.Next()
		var broken *event.Malformed
		switch {
		case errors.As(err, &broken):
			continue
		case err == io.EOF:
			return whole
		case err != nil:
			return false
		}
		switch event.Type(line) {
		case "response":
			whole = event.Str(line, "stop_reason") == "end_turn"
		case "instruction", "message", "shell_command":
			whole = false
		}
	}
}

// longest is how long the event of a task may be: the run's first line, which
// has more beside the task's text, has to fit into a line too.
const longest = event.MaxLine - 64<<10

// taskFromStdin reads the task from a pipe or a file, and from a terminal only
// when "-" asks for that.
func taskFromStdin(env *prog.Env, asked bool) (string, error) {
	if !asked && term.IsTerminal(int(env.Stdin.Fd())) {
		return "", prog.Errorf(prog.No, "no task").
			Hintf(`ua "what is big in /var?"; --help lists the options`)
	}
	text, err := io.ReadAll(io.LimitReader(env.Stdin, longest+1)) // one more shows that it is too long
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	if !utf8.Valid(text) {
		return "", prog.Errorf(prog.Trouble, "stdin: the task is not UTF-8 text").
			Hintf(`attach data with: ua "task" - < FILE`)
	}
	return strings.TrimSpace(string(text)), nil
}

// describe adds what the caller hands on by --context, and where the model is.
func (t *task) describe(l *loop) {
	if len(l.o.context) > 0 {
		text := event.AppendString([]byte(`{"name":"context","media_type":"text/plain","text":`),
			strings.Join(l.o.context, "\n"))
		t.attachments = append(t.attachments, append(text, '}'))
	}
	t.attachments = append(t.attachments, l.surroundings())
	l.warnOfHome()
}

// attach adds an attachment, unless it is none.
func (t *task) attach(a []byte, err error) error {
	if err == nil {
		t.attachments = append(t.attachments, a)
	}
	return err
}

// attachStdin attaches what stdin holds, if it is not too much.
func (t *task) attachStdin(in io.Reader, folder string) error {
	head, err := io.ReadAll(io.LimitReader(in, bigText+1))
	if err != nil {
		return prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	rest := io.MultiReader(bytes.NewReader(head), in)
	if len(head) <= bigText || media.Sniff(head) != "" || bytes.IndexByte(head, 0) >= 0 ||
		!utf8.Valid(head[:len(head)-utf8.UTFMax]) {
		return t.attach(attachment.From("stdin", rest))
	}
	t.stdin, err = spill(rest, folder)
	return err
}

// settle gives what stdin holds its place in the run's folder.
func (t *task) settle(env *prog.Env, dir string) error {
	if t.stdin == nil {
		return nil
	}
	return t.attach(t.stdin.settle(env, dir))
}

// instruction returns the event of what the user asks.
func (t *task) instruction() []byte { return attachment.Instruction(t.text, t.attachments) }

// start returns the event that begins a run.
func start(o *options, t *task, id, traceparent string) []byte {
	cwd, _ := os.Getwd()
	e := event.New("run").Str("id", id)
	if o.parent != "" {
		e.Str("parent", filepath.Base(o.parent))
	}
	if o.background {
		e.Bool("background", true)
	}
	return e.Int("depth", int64(o.depth)).Str("task", t.text).OptStr("agent", o.agent).
		OptStr("isolation", o.isolation).OptStr("model", o.model).Str("cwd", cwd).
		OptStr("via", o.via).OptStr("mode", o.def.Mode).
		OptStr("tools", strings.Join(o.def.Tools, " ")).
		OptStr("not_tools", strings.Join(o.def.NotTools, " ")).Raw("limits", o.bounds()).
		Int("pid", int64(os.Getpid())).Str("traceparent", traceparent).
		Str("version", prog.Version()).Line()
}

// bounds returns the limits of the run as a JSON object, without those that are none.
func (o *options) bounds() []byte {
	b := []byte{'{'}
	add := func(name, value string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:%s", name, value)
	}
	add("max_turns", strconv.Itoa(o.most.Turns))
	add("max_commands", strconv.Itoa(o.most.Commands))
	if o.timeLimit > 0 {
		add("time_limit_ms", strconv.FormatInt(o.timeLimit.Milliseconds(), 10))
	}
	if o.most.Tokens > 0 {
		add("budget_tokens", strconv.FormatInt(o.most.Tokens, 10))
	}
	if o.most.USD > 0 {
		add("budget_usd", strconv.FormatFloat(o.most.USD, 'g', -1, 64))
	}
	return append(b, '}')
}

// traceparent names this run's span in the caller's trace or a new one (W3C
// Trace Context).
func traceparent() string {
	var b [24]byte
	rand.Read(b[:])
	trace := hex.EncodeToString(b[:16])
	if parts := strings.Split(os.Getenv(run.EnvTrace), "-"); len(parts) == 4 &&
		len(parts[1]) == 32 && strings.Trim(parts[1], "0123456789abcdef") == "" {
		trace = parts[1]
	}
	return fmt.Sprintf("00-%s-%s-01", trace, hex.EncodeToString(b[16:]))
}

// noticeUnread says that a pipe on stdin holds bytes that nobody asked for.
func noticeUnread(env *prog.Env, o *options) {
	if o.quiet || o.stdin || len(o.words) == 0 || o.background {
		return
	}
	info, err := env.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	if unread(env.Stdin) {
		env.Warnf("stdin was left unread; - after the task attaches it")
	}
}

// AsTask adds to an error what to do when the words were meant as a task: none of them
// was quoted, and they are no IDs.
func AsTask(verb string, words []string, err error) error {
	e, ok := err.(*prog.Error)
	task := strings.Join(words, " ")
	if !ok || strings.Trim(task, "abcdef -") == "" || len(words) != len(strings.Fields(task)) ||
		words[0] == "last" || strings.ContainsAny(words[0], "0123456789") {
		return err
	}
	if e.Hint != "" {
		return e.Hintf("%s; a task is quoted: ua %q", e.Hint, verb+" "+task)
	}
	return e.Hintf("a task that begins with %q is quoted: ua %q", verb, verb+" "+task)
}
