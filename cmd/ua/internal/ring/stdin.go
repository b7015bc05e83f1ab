package ring

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/internal/common/attachment"
	"ua/internal/common/media"
	"ua/internal/common/prog"
)

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

// attachStdin attaches the content of stdin. A long text goes into a file of the run;
// anything else that is too long is refused by package attachment.
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

// settle moves a long stdin into the run's folder and attaches what stands for it.
func (t *task) settle(env *prog.Env, dir string) error {
	if t.stdin == nil {
		return nil
	}
	return t.attach(t.stdin.settle(env, dir))
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
	if unread(env.Stdin) {
		env.Warnf("stdin was not read; add - after the task to attach it")
	}
}
