// Package execmodel asks any program instead of a model. On every turn the program gets the
// events of the conversation on stdin, and it writes events. A line that is no event
// becomes an error event, and text without a response event becomes a response. The
// program's environment holds no key.
package execmodel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// watchdog is the shell line that runs a command, $0, in its own process group. A reader
// of descriptor 3 kills that group when the other end closes. Nothing that the command
// has started therefore outlives ua-think, however ua-think ends.
const watchdog = `(read _ <&3; kill -TERM 0) >/dev/null 2>&1 & exec 3<&-; exec /bin/sh -c "$0"`

// Ask runs command with body on its stdin and feeds its output to a. limit is the time
// for all of it.
func Ask(
	ctx context.Context, command string, body []byte, limit time.Duration, stderr io.Writer,
	a *answer.Answer,
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &failure.Failure{
		Msg:  "the model's program took longer than " + limit.String(),
		Hint: "--timeout raises the limit", Status: prog.Limit,
	})
	defer cancel()
	watched, alive, err := os.Pipe()
	if err != nil {
		return err
	}
	defer alive.Close()
	defer watched.Close()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", watchdog, command)
	cmd.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
	cmd.Stdin = bytes.NewReader(body)
	cmd.Stderr = stderr
	cmd.ExtraFiles = []*os.File{watched}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.Cancel = end
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return transport.Because(ctx, &failure.Failure{Msg: "exec: " + err.Error(),
			Status: prog.Trouble})
	}
	defer end()
	p := &program{answer: a}
	bad := event.NewWriter(a.Out) // for lines that are no events
	err = event.Each(event.NewReader(out), failure.Stage, bad, func(line []byte) error {
		return p.event(gjson.ParseBytes(bytes.Clone(line)))
	})
	if err != nil {
		end()
	}
	return p.end(ctx, errors.Join(err, cmd.Wait()))
}

// A program feeds the events of a running program to an answer.
type program struct {
	answer *answer.Answer
	calls  int // so far
}

// event takes one event of the program.
func (p *program) event(ev gjson.Result) error {
	a := p.answer
	switch ev.Get("type").Str {
	case "delta":
		switch ev.Get("kind").Str {
		case "thinking":
			return a.Say(a.Last(answer.Thinking), ev.Get("text"))
		case "text", "":
			return a.Say(a.Last(answer.Text), ev.Get("text"))
		}
	case "tool_call":
		return p.call(ev)
	case "response":
		return p.response(ev)
	case "error":
		a.Out.Put([]byte(ev.Raw))
	}
	return nil
}

// call takes a complete call, from a tool_call event or from a block of a response.
func (p *program) call(v gjson.Result) error {
	p.calls++
	b, err := p.answer.Add(answer.Piece{
		Index: strconv.Itoa(p.calls), ID: v.Get("id").Str, Name: v.Get("name").Str,
		Args: gjson.Result{Type: gjson.String, Str: v.Get("input").Raw},
	})
	p.answer.Close(b)
	return err
}

// response takes a response event. Its content replaces that of the deltas before it.
// Calls that have left already are not sent again.
func (p *program) response(rec gjson.Result) error {
	content := rec.Get("content")
	if !content.IsArray() {
		return &failure.Failure{Msg: "exec: the program's response has no content",
			Status: prog.Trouble}
	}
	a := p.answer
	left := a.Blocks
	said := slices.ContainsFunc(left, func(b *answer.Block) bool { return b.Kind != answer.Call })
	a.Blocks = nil
	for _, b := range content.Array() {
		if err := p.block(b, said, left); err != nil {
			return err
		}
	}
	a.Model = rec.Get("model").Str
	a.Ended(rec.Get("stop_reason").Str)
	a.Usage = usage.Read(rec.Get("usage"))
	return nil
}

// block adds a block of a response. Its text is shown unless it was shown before. A call
// that has left already is found among left.
func (p *program) block(v gjson.Result, said bool, left []*answer.Block) error {
	a := p.answer
	kind := v.Get("type").Str
	if kind == answer.Call {
		id := v.Get("id").Str
		for _, b := range left {
			if b.Kind == kind && b.Given == id && id != "" {
				a.Blocks = append(a.Blocks, b)
				return nil
			}
		}
		return p.call(v)
	}
	if !said && (kind == answer.Text || kind == answer.Thinking) {
		// Shown here; what is kept is the block as it came.
		if err := a.Say(&answer.Block{Kind: kind}, v.Get(kind)); err != nil {
			return err
		}
	}
	b := a.Open(answer.Whole)
	b.Put(v.Raw)
	a.Close(b)
	return nil
}

// end decides what the end of the program means. A program without a stop reason is
// judged by what it said.
func (p *program) end(ctx context.Context, err error) error {
	a := p.answer
	if err != nil && a.Stop == "" {
		var exit *exec.ExitError
		f := failure.From(transport.Because(ctx,
			fmt.Errorf("exec: the model's program failed: %w", err)))
		if errors.As(err, &exit) && ctx.Err() == nil {
			f.Retry = exit.ExitCode() == prog.TryLater
			if f.Status = prog.Trouble; f.Retry {
				f.Status = prog.TryLater
			}
		}
		return f
	}
	if a.Stop == "" {
		a.Stop = answer.EndTurn
	}
	a.Finish()
	return nil
}
