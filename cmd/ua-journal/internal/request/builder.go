package request

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// builders are the ua-thinks that make bodies, the only programs that know how: one for each
// model, which makes those of all its calls.
type builders map[string]*builder

// A builder is one ua-think --dry-run.
type builder struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	words bytes.Buffer
	err   error // why it makes no bodies
}

// body returns the body of the model's request for a conversation, byte for byte. lines are
// the events of the conversation: its run event ends the one before, and without one a new
// builder begins. A builder that has failed once is not asked again.
func (b builders) body(model string, lines [][]byte) ([]byte, error) {
	t := b[model]
	if t == nil || len(lines) == 0 || event.Type(lines[0]) != "run" {
		t.close()
		t = &builder{}
		t.err = t.start(model)
		b[model] = t
	}
	if t.err != nil {
		return nil, t.err
	}
	asked := append(bytes.Join(lines, []byte{'\n'}), "\n{\"type\":\"turn\"}\n"...)
	t.in.Write(asked) // a program that has ended says why
	line, err := t.out.ReadBytes('\n')
	body := gjson.GetBytes(line, "body")
	switch {
	case body.Type == gjson.String: // of a model that is no server
		return []byte(body.Str), nil
	case body.Exists():
		return []byte(body.Raw), nil
	}
	t.in.Close()
	err = cmp.Or(t.cmd.Wait(), err)
	said, _, _ := strings.Cut(strings.TrimSpace(t.words.String()), "\n")
	said = cmp.Or(strings.TrimPrefix(said, "ua-think: "), event.Str(line, "message"),
		fmt.Sprintf("no body: %v", err))
	t.err = prog.Errorf(prog.Trouble, "ua-think --dry-run --model %s: no request: %s", model, said)
	return nil, t.err
}

// start starts the program.
func (t *builder) start(model string) error {
	path, err := prog.FindSibling("ua-think")
	if err != nil {
		return err
	}
	t.cmd = exec.Command(path, "--dry-run", "--events", "--model", model)
	t.cmd.Stderr = &t.words
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	t.out = bufio.NewReader(out)
	return t.cmd.Start()
}

// close ends the program.
func (t *builder) close() {
	if t != nil && t.err == nil {
		t.in.Close()
		t.cmd.Wait()
	}
}

// close ends the programs.
func (b builders) close() {
	for _, t := range b {
		t.close()
	}
}
