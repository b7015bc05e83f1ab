package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// program asks any program: it gets the conversation's events on stdin, once a
// turn, and writes events. What it writes that is no event is an error event;
// text without a response event becomes one. No key stands in its environment.
func program(m model, r *request) call {
	body := []byte(strings.Join(r.lines, "\n") + "\n")
	return call{
		body: body,
		play: func(ctx context.Context, s *session, a *answer) error { return s.runProgram(ctx, m, body, a) },
	}
}

// guard runs a command in its own process group, which ends when the other end
// of descriptor 3 closes: nothing that the command started outlives ua-think,
// whatever ends that.
const guard = `(read _ <&3; kill -TERM 0) >/dev/null 2>&1 & exec 3<&-; exec /bin/sh -c "$0"`

func (s *session) runProgram(ctx context.Context, m model, body []byte, a *answer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.limits.total,
		&failure{msg: "the model's program took longer than " + s.o.limits.total.String(), hint: "--timeout lifts the limit", status: prog.Limit})
	defer cancel()
	watched, alive, err := os.Pipe()
	if err != nil {
		return err
	}
	defer alive.Close()
	defer watched.Close()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", guard, m.name)
	cmd.Env = s.cfg.keyless()
	cmd.Stdin = bytes.NewReader(body)
	cmd.Stderr = s.env.Stderr
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
		return &failure{msg: "exec: " + err.Error(), status: prog.Trouble}
	}
	defer end()
	err = event.Each(event.NewReader(out), stage, event.NewWriter(adder{s.out}), func(line []byte) error {
		return s.programEvent(a, gjson.ParseBytes(bytes.Clone(line)))
	})
	if err != nil {
		end()
	}
	return s.programEnd(ctx, a, errors.Join(err, cmd.Wait()))
}

// programEvent takes one event of a program's answer.
func (s *session) programEvent(a *answer, ev gjson.Result) error {
	switch ev.Get("type").Str {
	case "delta":
		kind := ev.Get("kind").Str
		if kind != "thinking" {
			kind = "text"
		}
		return a.say(a.last(kind), ev.Get("text"))
	case "tool_call":
		b := a.call(ev.Get("id").Str, ev.Get("name").Str)
		err := a.feedRaw(b, ev.Get("input").Raw)
		a.close(b)
		return err
	case "response":
		return s.programResponse(a, ev)
	case "error":
		a.out.add([]byte(ev.Raw))
	}
	return nil
}

// programResponse takes a response event. Its content stands above the deltas;
// calls that left already do not leave again.
func (s *session) programResponse(a *answer, rec gjson.Result) error {
	content := rec.Get("content")
	if !content.IsArray() {
		return &failure{msg: "exec: the program's response has no content", status: prog.Trouble}
	}
	said, ran := false, map[string]bool{}
	for _, b := range a.blocks {
		said = said || b.kind != "tool_use"
		ran[b.id] = true
	}
	blocks := a.blocks
	a.blocks = nil
	for _, b := range content.Array() {
		switch kind := b.Get("type").Str; kind {
		case "text", "thinking":
			if said {
				nb := a.open(kind)
				nb.body.add(a.escaped(b.Get(kind)))
			} else if err := a.say(a.open(kind), b.Get(kind)); err != nil {
				return err
			}
		case "tool_use":
			if id := b.Get("id").Str; ran[id] {
				for _, old := range blocks {
					if old.id == id {
						a.blocks = append(a.blocks, old)
					}
				}
				continue
			}
			nb := a.call(b.Get("id").Str, b.Get("name").Str)
			if err := a.feedRaw(nb, b.Get("input").Raw); err != nil {
				return err
			}
			a.close(nb)
		}
	}
	for _, b := range a.blocks {
		a.close(b)
	}
	a.model, a.stop = rec.Get("model").Str, rec.Get("stop_reason").Str
	a.why = a.stop
	a.usage = readUsage(rec.Get("usage"))
	return nil
}

// programEnd judges a program's end.
func (s *session) programEnd(ctx context.Context, a *answer, err error) error {
	if err != nil && a.stop == "" {
		var exit *exec.ExitError
		f := asFailure(because(ctx, fmt.Errorf("exec: the model's program failed: %w", err)))
		if errors.As(err, &exit) && ctx.Err() == nil {
			f.retry = exit.ExitCode() == prog.TryLater
			if f.status = prog.Trouble; f.retry {
				f.status = prog.TryLater
			}
		}
		return f
	}
	for _, b := range a.blocks {
		a.close(b)
	}
	switch {
	case a.stop != "":
	case len(a.blocks) == 0:
		return &failure{msg: "exec: the model's program said nothing", status: prog.Trouble}
	case a.calls > 0:
		a.stop = "tool_use"
	default:
		a.stop = "end_turn"
	}
	return nil
}
