package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
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
	cmd.Env = config.WithoutKeys(os.Environ())
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
		b.given = ev.Get("id").Str
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
	left := a.blocks
	said := slices.ContainsFunc(left, func(b *block) bool { return b.kind != "tool_use" })
	a.blocks = nil
	for _, b := range content.Array() {
		if err := a.whole(b, said, left); err != nil {
			return err
		}
	}
	a.model, a.stop = rec.Get("model").Str, rec.Get("stop_reason").Str
	a.why = a.stop
	a.usage = readUsage(rec.Get("usage"))
	return nil
}

// whole adds a block of a response that a program wrote. Its text is shown
// unless that was said before; a call that left before is the one among left.
func (a *answer) whole(v gjson.Result, said bool, left []*block) error {
	kind := v.Get("type").Str
	if kind == "tool_use" {
		id := v.Get("id").Str
		for _, b := range left {
			if b.kind == kind && b.given == id && id != "" {
				a.blocks = append(a.blocks, b)
				return nil
			}
		}
		b := a.call(id, v.Get("name").Str)
		err := a.feedRaw(b, v.Get("input").Raw)
		a.close(b)
		return err
	}
	if !said && (kind == "text" || kind == "thinking") {
		if err := a.say(&block{kind: kind}, v.Get(kind)); err != nil {
			return err
		}
	}
	b := a.open(kind)
	if kind == "text" {
		b.body.add(a.escaped(v.Get(kind)))
	} else {
		b.kind = "raw"
		b.body.add([]byte(oneLine(v.Raw)))
	}
	a.close(b)
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
