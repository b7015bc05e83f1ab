package ring

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/media"
	"ua/internal/common/prog"
	"ua/internal/common/runs"
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

// settle writes a long stdin to a file in the run's folder, and attaches its beginning, its end
// and the path.
func (t *task) settle(env *prog.Env, dir string) error {
	if t.stdin == nil {
		return nil
	}
	path := filepath.Join(dir, "stdin")
	if err := os.WriteFile(path, t.stdin, 0o400); err != nil {
		return runs.FolderError(err)
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
	if unread(env.Stdin) {
		env.Warnf("stdin was not read; add - after the task to attach it")
	}
}
