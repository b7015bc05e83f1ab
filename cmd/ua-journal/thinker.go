package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A thinker makes request bodies of conversations by asking ua-think, the one
// program that knows how, what it would send.
type thinker struct {
	model string // that the running ua-think is for
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *event.Reader
	words bytes.Buffer // what it says on stderr
}

// body is the request's body for a conversation, byte for byte.
func (t *thinker) body(model string, lines [][]byte) ([]byte, error) {
	// A run event makes ua-think forget the conversation before.
	if t.cmd == nil || t.model != model || len(lines) == 0 || event.Type(lines[0]) != "run" {
		t.close()
		if err := t.start(model); err != nil {
			return nil, err
		}
	}
	go func() {
		w := event.NewWriter(t.in)
		for _, line := range append(lines, []byte(`{"type":"turn"}`)) {
			if w.Write(line) != nil {
				return // the answer that does not come says so
			}
		}
	}()
	line, err := t.out.Line()
	if err != nil {
		t.close()
		return nil, prog.Errorf(prog.Trouble, "ua-think --dry-run --model %s: no request: %s", model, said(t.words.String(), err))
	}
	body := gjson.GetBytes(line, "body")
	if !body.Exists() {
		t.close()
		return nil, prog.Errorf(prog.Trouble, "ua-think --dry-run --model %s: no request: %s", model, said(event.Str(line, "message"), errors.New("no body")))
	}
	if body.Type == gjson.String {
		return []byte(body.Str), nil // of a model that is no server
	}
	return []byte(body.Raw), nil
}

// said is words in one line, or the error when there are none.
func said(words string, err error) string {
	if words = strings.TrimSpace(words); words != "" {
		first, _, _ := strings.Cut(words, "\n")
		return strings.TrimPrefix(first, "ua-think: ")
	}
	return err.Error()
}

func (t *thinker) start(model string) (err error) {
	path, err := program("ua-think")
	if err != nil {
		return err
	}
	t.model = model
	t.words.Reset()
	t.cmd = exec.Command(path, "--dry-run", "--events", "--model", model)
	t.cmd.Stderr = &t.words
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	t.out = event.NewReader(out)
	return t.cmd.Start()
}

// close ends the running ua-think.
func (t *thinker) close() {
	if t.cmd != nil {
		t.in.Close()
		t.cmd.Wait()
		t.cmd = nil
	}
}

// program is the path of a program of ua: beside this one, or on PATH.
func program(name string) (string, error) {
	if own, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(own), name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", prog.Errorf(prog.NotFound, "%s: not beside ua-journal and not on PATH", name)
	}
	return path, nil
}
