package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"

	"golang.org/x/term"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/session"
	"ua/internal/common/descriptor"
	"ua/internal/common/event"
	"ua/internal/common/media"
	"ua/internal/common/prog"
)

// serve asks what the arguments or stdin say. With arguments stdin is not read, unless
// "-" asks for it. Reading a pipe may take long, so a signal ends the wait (await).
func (t *invocation) serve(ctx context.Context) error {
	o := t.options
	if len(o.task) > 0 && !o.stdin {
		return t.tell(ctx, strings.Join(o.task, " "), o.attach)
	}
	if len(o.task) == 0 && !o.stdin && term.IsTerminal(int(t.env.Stdin.Fd())) {
		return prog.Errorf(prog.Trouble, "there is no question").
			Hintf("give the question as an argument, or a conversation on stdin")
	}
	in := bufio.NewReaderSize(descriptor.Reader(t.env.Stdin), 64<<10)
	if o.events {
		return t.follow(ctx, in)
	}
	events, err := await(ctx, func() (bool, error) { return isEvents(in), nil })
	if err != nil {
		return err
	}
	if events {
		return t.follow(ctx, in)
	}
	text, err := await(ctx, func() ([]byte, error) {
		return io.ReadAll(io.LimitReader(in, event.MaxLine))
	})
	if err != nil {
		return err
	}
	if len(text) == event.MaxLine {
		return prog.Errorf(prog.Trouble, "the text on stdin is longer than %s",
			answer.Size(event.MaxLine-1<<20))
	}
	if len(o.task) > 0 {
		stdin, err := media.AttachFrom("stdin", bytes.NewReader(text))
		if err != nil {
			return err
		}
		return t.tell(ctx, strings.Join(o.task, " "), append([][]byte{stdin}, o.attach...))
	}
	return t.tell(ctx, string(bytes.TrimSpace(text)), o.attach)
}

// isEvents reports whether a stream holds events. It does if its first line is an event,
// as far as that line can be seen. An empty stream is an empty conversation. Nothing is
// consumed.
func isEvents(in *bufio.Reader) bool {
	for n := 1; ; n = max(n+1, in.Buffered()) {
		head, err := in.Peek(n)
		text := bytes.TrimLeft(head, " \t\r\n")
		line, _, whole := bytes.Cut(text, newline)
		switch {
		case whole || err == io.EOF && len(text) > 0:
			return event.Valid(line)
		case err != nil:
			return len(text) == 0 || text[0] == '{' && event.Type(text) != ""
		}
	}
}

// tell asks with one instruction, which is also written as an event.
func (t *invocation) tell(ctx context.Context, text string, files [][]byte) error {
	if strings.TrimSpace(text) == "" && len(files) == 0 {
		return prog.Errorf(prog.No, "the question is empty")
	}
	line := media.Instruction(text, files)
	if !t.options.session.DryRun {
		t.session.Out.Put(line)
	}
	if err := t.session.Take(ctx, string(line)); err != nil {
		return err
	}
	return t.session.Finish(ctx)
}

// follow reads events until the end of input.
func (t *invocation) follow(ctx context.Context, in io.Reader) error {
	out := event.NewWriter(t.session.Out)
	err := t.session.Follow(ctx, event.NewReader(in), out, nil, t.session.Take)
	if err != nil {
		return err
	}
	return t.last(ctx)
}

// last adds the arguments to a conversation from stdin and asks what is left to ask.
func (t *invocation) last(ctx context.Context) error {
	if o := t.options; len(o.task) > 0 || len(o.attach) > 0 {
		return t.tell(ctx, strings.Join(o.task, " "), o.attach)
	}
	return t.session.Finish(ctx)
}

// await waits for do, which reads, or for the signal that ends ctx. A read cannot be
// interrupted, so do may still be running when await returns; its result is then not
// used.
func await[T any](ctx context.Context, do func() (T, error)) (v T, err error) {
	done := make(chan struct{})
	var read T
	var failed error
	go func() {
		read, failed = do()
		close(done)
	}()
	select {
	case <-done:
		return read, failed
	case <-ctx.Done():
		return v, prog.Exit(session.Interrupted(ctx))
	}
}
