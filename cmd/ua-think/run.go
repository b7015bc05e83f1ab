package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"ua/internal/common/attachment"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

func run(env *prog.Env) error {
	if len(env.Args) > 0 && env.Args[0] == "models" {
		return listModels(env, env.Args[1:])
	}
	cfg, broken := loadSettings()
	if broken != nil {
		cfg = new(settings)
	}
	o, err := parse(env, cfg)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	s := &session{env: env, o: o, cfg: cfg, client: newClient(o.limits), prices: map[string]*price{}, counted: map[string]bool{}, out: newOutbox(o.writer(env.Stdout))}
	s.client.note = s.note
	s.forget()
	if err = broken; err == nil {
		s.models, err = choose(o, cfg)
	}
	if err == nil {
		err = s.serve(ctx)
	}
	return s.end(ctx, err)
}

// end writes what is left and gives the program's error, which has its event
// too.
func (s *session) end(ctx context.Context, err error) error {
	var e *prog.Error
	if errors.As(err, &e) && !s.told && !s.o.dryRun {
		s.out.add(asFailure(err).event())
	}
	limit := time.Duration(0)
	if ctx.Err() != nil {
		limit = time.Second // for a reader that has stopped
	}
	if werr := s.out.close(limit); err == nil && werr != nil {
		return werr
	}
	return err
}

// choose is the models to ask, in order. Only the first has its key yet.
func choose(o *options, cfg *settings) (models []model, err error) {
	spec, err := pick(o.model, cfg)
	if err != nil {
		return nil, err
	}
	for i, spec := range append([]string{spec}, o.fallback...) {
		m, err := resolve(spec, cfg)
		if err == nil && i == 0 && !o.dryRun {
			m, err = cfg.unlock(m)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// interruptible is a context that SIGINT, SIGTERM and SIGHUP end, but for those
// that the caller (nohup, a background job) has set to be ignored.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	go func() {
		if sig, ok := (<-signals).(syscall.Signal); ok {
			cancel(prog.Exit(128 + int(sig)))
		}
		// A group's signal and the driver's come together: they are one. Who
		// asks again later means it.
		time.Sleep(time.Second)
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}

// interrupted is the exit status for the signal that ended ctx.
func interrupted(ctx context.Context) int {
	var e prog.Exit
	errors.As(context.Cause(ctx), &e)
	return int(e)
}

// serve takes the arguments or what comes on stdin. With arguments stdin is
// left alone, unless "-" asks for it.
func (s *session) serve(ctx context.Context) error {
	if !s.o.dryRun {
		s.client.warm(s.models[0].base)
	}
	if len(s.o.task) > 0 && !s.o.stdin {
		return s.tell(ctx, strings.Join(s.o.task, " "), s.o.attach)
	}
	if len(s.o.task) == 0 && !s.o.stdin && term.IsTerminal(int(s.env.Stdin.Fd())) {
		return prog.Errorf(prog.Trouble, "there is nothing to ask").Hintf("give the question as an argument, or a conversation on stdin")
	}
	in := bufio.NewReaderSize(s.env.Stdin, 64<<10)
	if s.o.events {
		return s.follow(ctx, in)
	}
	events, err := await(ctx, func() (bool, error) { return isEvents(in), nil })
	if err != nil {
		return err
	}
	if events {
		return s.follow(ctx, in)
	}
	text, err := await(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, event.MaxLine)) })
	if err != nil {
		return err
	}
	if len(text) == event.MaxLine {
		return prog.Errorf(prog.Trouble, "the text on stdin is longer than %s", size(event.MaxLine-1<<20))
	}
	if len(s.o.task) > 0 {
		stdin, err := attachment.From("stdin", bytes.NewReader(text))
		if err != nil {
			return err
		}
		extra := append([][]byte{stdin}, s.o.attach...)
		return s.tell(ctx, strings.Join(s.o.task, " "), extra)
	}
	return s.tell(ctx, string(bytes.TrimSpace(text)), s.o.attach)
}

// await waits for do, which reads, or for the signal that ends ctx.
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
		return v, prog.Exit(interrupted(ctx))
	}
}

// isEvents says whether a stream holds events: its first line is one, as far as
// it can be seen. An empty stream is a conversation with nothing in it.
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

// tell asks with one instruction, which becomes an event of its own.
func (s *session) tell(ctx context.Context, text string, files [][]byte) error {
	if strings.TrimSpace(text) == "" && len(files) == 0 {
		return prog.Errorf(prog.No, "the question is empty")
	}
	line := attachment.Instruction(text, files)
	if !s.o.dryRun {
		s.out.add(line)
	}
	if err := s.take(ctx, string(line)); err != nil {
		return err
	}
	return s.finish(ctx)
}

// follow reads events until the end of input.
func (s *session) follow(ctx context.Context, in io.Reader) error {
	lines := make(chan string, 16)
	failed := make(chan error, 1)
	go func() {
		failed <- event.Each(event.NewReader(in), stage, event.NewWriter(adder{s.out}), func(line []byte) error {
			lines <- strings.ToValidUTF8(string(line), "\ufffd")
			return nil
		})
		close(lines)
	}()
	for {
		select {
		case <-ctx.Done():
			return prog.Exit(interrupted(ctx))
		case line, ok := <-lines:
			if !ok {
				if err := <-failed; err != nil {
					return err
				}
				return s.last(ctx)
			}
			if err := s.take(ctx, line); err != nil {
				return err
			}
		}
	}
}

// last adds the arguments to a conversation from stdin and finishes.
func (s *session) last(ctx context.Context) error {
	if len(s.o.task) > 0 || len(s.o.attach) > 0 {
		return s.tell(ctx, strings.Join(s.o.task, " "), s.o.attach)
	}
	return s.finish(ctx)
}

// An adder hands the lines of a Writer to the outbox.
type adder struct{ out *outbox }

func (a adder) Write(line []byte) (int, error) {
	a.out.add(bytes.Clone(line[:len(line)-1]))
	return len(line), nil
}

// show prints the request that would be sent, and its body's hash. No key is in
// it.
func (s *session) show(m model, k call) error {
	e := event.AppendString([]byte(`{"method":"POST","url":`), k.url)
	e = event.AppendString(append(e, `,"model":`...), m.spec())
	e = append(e, `,"headers":{"content-type":"application/json"`...)
	if v := k.header.Get("Anthropic-Version"); v != "" {
		e = event.AppendString(append(e, `,"anthropic-version":`...), v)
	}
	e = fmt.Appendf(e, `},"request_sha256":%q,"body":`, k.sha256())
	if k.play == nil {
		e = append(e, k.body...)
	} else {
		e = event.AppendString(e, k.body)
	}
	s.out.add(append(e, '}'))
	return nil
}
