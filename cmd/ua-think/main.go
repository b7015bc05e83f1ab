// Ua-think asks a model: it reads a conversation and writes what is new, the
// model's answer, as events (ua-think(1)).
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// verbs returns what each verb does.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"keys":   manageKeys,
		"models": listModels,
		"serve":  serveModel,
	}
}

// start runs a verb, or asks. Settings that do not load are reported only after the
// command line was parsed, so that --help works without them.
func start(env *prog.Env) error {
	if len(env.Args) > 0 {
		if do := verbs()[env.Args[0]]; do != nil {
			return do(env, env.Args[1:])
		}
	}
	cfg, broken := settings.Load()
	if broken != nil {
		// The session reports broken settings, in the form that the options ask for.
		cfg = settings.Default()
	}
	o, err := parse(env, cfg)
	if err != nil {
		return err
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	t := &invocation{env: env, options: o}
	t.session = &session.Session{
		Options: o.session, Config: cfg, Out: event.NewOutbox(o.writer(env)), Stderr: env.Stderr,
	}
	t.session.Begin()
	var above *session.Above
	if err = broken; err == nil {
		t.session.Models, above, err = choose(o, cfg)
	}
	switch {
	case err != nil:
	case above != nil:
		err = t.session.AskAbove(ctx, *above)
	default:
		t.session.Client = transport.New(o.time)
		t.session.Client.Note = t.session.Note
		if !o.session.DryRun {
			// The certificates are loaded while the question is still being read.
			t.session.Client.Warm(t.session.Models[0].Base)
		}
	}
	if err == nil {
		err = t.session.End(t.serve(ctx))
	}
	return t.end(ctx, err)
}

// An invocation is one run of the program that asks a model.
type invocation struct {
	env     *prog.Env
	options *options
	session *session.Session
}

// end writes what is left, and returns the program's error. Unless the session has done
// so, it writes that error as an event too.
func (t *invocation) end(ctx context.Context, err error) error {
	var e *prog.Error
	if errors.As(err, &e) && !t.session.Told() && !t.options.session.DryRun {
		t.session.Out.Put(failure.From(err).Event())
	}
	limit := time.Duration(0)
	if ctx.Err() != nil {
		limit = time.Second // for a reader that has stopped
	}
	if werr := t.session.Out.Close(limit); err == nil && werr != nil {
		return werr
	}
	if e != nil && t.options.session.Quiet && !watched(t.env.Stderr) {
		e.Hint = "" // cron gets one line; the event has the hint
	}
	return err
}

// watched reports whether a person may see stderr: it is a terminal, or another program
// with a terminal shows it, as ua-shell does.
func watched(stderr *os.File) bool {
	if term.IsTerminal(int(stderr.Fd())) {
		return true
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	tty.Close()
	return true
}

// writer returns where events go: to the output itself, or to a writer that shows only
// the text in them. On a terminal the model's text is escaped, so that it controls
// nothing.
func (o *options) writer(env *prog.Env) io.Writer {
	if !o.text || o.session.DryRun {
		return env.Out()
	}
	return &textWriter{w: env.Out(), live: term.IsTerminal(int(env.Stdout.Fd()))}
}

func main() { prog.Main("ua-think", start) }
