// Package request finds the API calls of a journal and makes their request bodies again.
package request

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A Builder makes the request bodies of conversations. It asks ua-think --dry-run, the
// only program that knows how. One ua-think is kept for conversations with the same
// model.
type Builder struct {
	model string // that the running ua-think is for
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *event.Reader
	words bytes.Buffer // what it says on stderr
}

// Body returns the body of the request for a conversation, byte for byte. lines are the
// events of the conversation.
func (b *Builder) Body(model string, lines [][]byte) ([]byte, error) {
	// A run event makes ua-think forget the conversation before it. Without one it has to
	// be started again.
	if b.cmd == nil || b.model != model || len(lines) == 0 || event.Type(lines[0]) != "run" {
		b.Close()
		if err := b.start(model); err != nil {
			return nil, err
		}
	}
	go func() {
		// Written beside the read below, so that two full pipes cannot block each other.
		w := event.NewWriter(b.in)
		for _, line := range append(lines, []byte(`{"type":"turn"}`)) {
			if w.Write(line) != nil {
				return // the answer that does not come says so
			}
		}
	}()
	line, err := b.out.Line()
	if err != nil {
		b.Close()
		return nil, prog.Errorf(prog.Trouble, "ua-think --dry-run --model %s: no request: %s",
			model, said(b.words.String(), err))
	}
	body := gjson.GetBytes(line, "body")
	if !body.Exists() {
		b.Close()
		return nil, prog.Errorf(prog.Trouble, "ua-think --dry-run --model %s: no request: %s",
			model, said(event.Str(line, "message"), errors.New("no body")))
	}
	if body.Type == gjson.String {
		return []byte(body.Str), nil // of a model that is no server
	}
	return []byte(body.Raw), nil
}

// said returns words in one line, or the error if there are none.
func said(words string, err error) string {
	if words = strings.TrimSpace(words); words != "" {
		first, _, _ := strings.Cut(words, "\n")
		return strings.TrimPrefix(first, "ua-think: ")
	}
	return err.Error()
}

// start starts ua-think for a model.
func (b *Builder) start(model string) (err error) {
	path, err := prog.FindSibling("ua-think")
	if err != nil {
		return err
	}
	b.model = model
	b.words.Reset()
	b.cmd = exec.Command(path, "--dry-run", "--events", "--model", model)
	b.cmd.Stderr = &b.words
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	b.out = event.NewReader(out)
	return b.cmd.Start()
}

// Close ends the ua-think that is running, if any.
func (b *Builder) Close() {
	if b.cmd != nil {
		b.in.Close()
		b.cmd.Wait()
		b.cmd = nil
	}
}
