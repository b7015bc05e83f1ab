package agentloop

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/media"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// A task is what the user asks for.
type task struct {
	text        string
	attachments [][]byte // JSON objects
	resume      run.Run  // the run that goes on, if any
	stdin       []byte   // what stdin holds, when it is too much to send; nil otherwise
}

// longest is the longest event of a task, in bytes. The first line of the run has more
// than the task's text, and has to fit into a line, too.
const longest = event.MaxLine - 64<<10

// readTask takes the task from the operands or, without any, from stdin. With operands
// stdin is read only for "-".
func readTask(env *prog.Env, o *options) (t task, err error) {
	words := o.words
	t.resume = o.earlierRun
	t.text = strings.TrimSpace(strings.Join(words, " "))
	switch {
	case len(words) == 0 && !o.resume:
		t.text, err = taskFromStdin(env, o.stdin)
	case o.stdin || slices.Contains(o.attach, "-"):
		err = t.attachStdin(env.Stdin)
	}
	if err == nil && t.text == "" && !o.resume {
		err = prog.Errorf(prog.No, "the task is empty").Hintf(`ua "what is big in /var?"`)
	}
	// Without anything new to ask, the model would only answer again.
	if err == nil && o.resume && t.text == "" && len(o.attach)+len(t.attachments) == 0 &&
		t.stdin == nil && o.at == 0 {
		i := runfolder.Read(t.resume)
		if i.Whole && len(i.Waits) == 0 && (len(o.Until) == 0 || i.Status == 0) { // not unproved
			err = prog.Errorf(prog.No, "%s already has its answer",
				t.resume.ID).Hintf(`ua resume %s "what next"`, t.resume.ID)
		}
	}
	for _, path := range o.attach {
		if err == nil && path != "-" {
			err = o.notPlanted("--attach", path)
		}
		if err == nil && path != "-" {
			err = t.attach(media.Attach(path))
		}
	}
	if err == nil && len(t.instruction()) > longest {
		err = prog.Errorf(prog.Trouble, "the task and its attachments are longer than %d bytes",
			longest)
	}
	return t, err
}

// describe attaches what the caller passes with --context, and the model's surroundings.
func (t *task) describe(l *loop) {
	if len(l.o.context) > 0 {
		text := event.AppendString([]byte(`{"name":"context","media_type":"text/plain","text":`),
			strings.Join(l.o.context, "\n"))
		t.attachments = append(t.attachments, append(text, '}'))
	}
	t.attachments = append(t.attachments, l.surroundings())
}

// attach adds an attachment, or returns err.
func (t *task) attach(a []byte, err error) error {
	if err == nil {
		t.attachments = append(t.attachments, a)
	}
	return err
}

// instruction returns the event that tells the model what the user asks.
func (t *task) instruction() []byte { return media.Instruction(t.text, t.attachments) }

// AsTask adds a hint to an error for the case that the words were meant as a task. It
// does so only if none of them was quoted and they are no IDs of runs.
func AsTask(verb string, words []string, err error) error {
	e, ok := err.(*prog.Error)
	task := strings.Join(words, " ")
	if !ok || strings.Trim(task, "abcdef -") == "" || len(words) != len(strings.Fields(task)) ||
		words[0] == run.Last || strings.ContainsAny(words[0], "0123456789") {
		return err
	}
	if len(words) > 2 || e.Hint == "" { // more words than any verb takes are a task
		return e.Hintf("quote a task that begins with %q: ua %q", verb, verb+" "+task)
	}
	return e.Hintf("%s; quote a task: ua %q", e.Hint, verb+" "+task)
}

// taskFromStdin reads the task from a pipe or a file. It reads from a terminal only when
// "-" asks for that.
func taskFromStdin(env *prog.Env, asked bool) (string, error) {
	if !asked && term.IsTerminal(int(env.Stdin.Fd())) {
		return "", prog.Errorf(prog.No, "no task").
			Hintf(`ua "what is big in /var?"; --help lists the options`)
	}
	// One byte more shows that it is too long.
	text, err := io.ReadAll(io.LimitReader(env.Stdin, longest+1))
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	if !utf8.Valid(text) {
		return "", prog.Errorf(prog.Trouble, "stdin: the task is not UTF-8 text").
			Hintf(`attach data with: ua "task" - < FILE`)
	}
	return strings.TrimSpace(string(text)), nil
}

// readStdin reads all of stdin.
func readStdin(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, longest+1)) // one byte more shows that it is too long
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	if len(text) > longest {
		return nil, prog.Errorf(prog.Trouble, "stdin holds more than %d bytes", longest).
			Hintf("name a file in the task; commands can read it")
	}
	return text, nil
}

// bigText is the size in bytes from which a text on stdin goes into a file of the run.
// The model then gets its beginning, its end and the path, since the whole text costs
// money.
const bigText = 100 << 10

// attachStdin attaches the content of stdin. A long text goes into a file of the run;
// anything else that is too long is refused by package media.
func (t *task) attachStdin(in io.Reader) error {
	text, err := readStdin(in)
	if err != nil {
		return err
	}
	head := text[:min(len(text), bigText)]
	if len(text) <= bigText || media.Sniff(head) != "" || bytes.IndexByte(head, 0) >= 0 ||
		!utf8.Valid(head[:bytes.LastIndexByte(head, '\n')+1]) {
		return t.attach(media.AttachFrom("stdin", bytes.NewReader(text)))
	}
	t.stdin = text
	return nil
}

// excerpt is how many bytes of each end the model gets.
const excerpt = 4 << 10

// settle writes a long stdin to a file in the run's folder, and attaches its beginning, its end
// and the path.
func (t *task) settle(env *prog.Env, dir string) error {
	if t.stdin == nil {
		return nil
	}
	path := filepath.Join(dir, "stdin")
	if err := os.WriteFile(path, t.stdin, 0o400); err != nil {
		return runfolder.FolderError(err)
	}
	env.Warnf("stdin holds %d bytes: the model is sent the beginning, the end and the path %s",
		len(t.stdin), path)
	text := fmt.Sprintf("%s\n[… %d bytes in all; commands can read the whole in %s …]\n%s",
		strings.ToValidUTF8(string(t.stdin[:excerpt]), ""), len(t.stdin), path,
		strings.ToValidUTF8(string(t.stdin[len(t.stdin)-excerpt:]), ""))
	a := event.AppendString([]byte(`{"name":"stdin","media_type":"text/plain","text":`), text)
	return t.attach(append(a, '}'), nil)
}

// noticeUnread warns that a pipe on stdin holds bytes that nobody asked for.
func noticeUnread(env *prog.Env, o *options) {
	if o.quiet || o.stdin || len(o.words) == 0 || o.background {
		return
	}
	info, err := env.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	if hasUnread(env.Stdin) {
		env.Warnf("stdin was not read; add - after the task to attach it")
	}
}
