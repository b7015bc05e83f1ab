package main

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/inbox"
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/stage"
	"ua/internal/common/style"
)

// sendVerb sends a message to a run. Its model gets the message before the next turn.
func sendVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, helpOf("send")); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return prog.Errorf(prog.Trouble, "send: no run given").
			Hintf(`ua ps lists them; ua send RUN "message"`)
	}
	r, err := runs.Find(ancestry.Here().Folder(), fs.Arg(0))
	if err != nil {
		return ring.AsTask("send", fs.Args(), err)
	}
	text := strings.Join(fs.Args()[1:], " ")
	if fs.NArg() == 1 || text == "-" {
		read, err := io.ReadAll(io.LimitReader(env.Stdin, inbox.TextMax+1))
		if err != nil {
			return prog.Errorf(prog.Trouble, "stdin: %v", err)
		}
		text = string(read)
	}
	_, alive := runs.Driver(r)
	to, lost := addressee(r)
	switch {
	case strings.TrimSpace(text) == "":
		return prog.Errorf(prog.No, "the message is empty")
	case len(text) > inbox.TextMax:
		return prog.Errorf(prog.Trouble, "the message is longer than %d bytes", inbox.TextMax)
	// Nobody would read it.
	case !alive:
		return prog.Errorf(prog.No, "%s has ended", r.ID).Hintf("ua resume %s %q", r.ID, text)
	case lost != nil:
		return lost
	default:
		if err := inbox.Send(to, inbox.Message{Text: text, From: sender()}); err != nil {
			return prog.Errorf(prog.Trouble, "%s: %v", r.ID, err)
		}
	}
	return nil
}

// addressee returns the run whose model hears what is sent to r. That is r itself or, for
// a run that an engine does (ua(1), Engines), the run on the other side, if its folder
// can be reached from here. The ID of that run is only what the other side says. It must
// therefore be a run of the same task that began later.
func addressee(r run.Run) (run.Run, error) {
	here := runs.Read(r)
	for until := time.Now().Add(stage.Grace); here.Started.IsZero() && here.Live() &&
		time.Now().Before(until); here = runs.Read(r) {
		time.Sleep(10 * time.Millisecond) // its first line, which names an engine, is on its way
	}
	if here.Via == "" {
		return r, nil
	}
	if here.Far == "" {
		return r, prog.Errorf(prog.TryLater, "%s: %s has not started the agent's run yet", r.ID,
			style.FirstLine(here.Via, 60))
	}
	far := run.Run{ID: here.Far, Dir: filepath.Join(run.Root(), here.Far)}
	if runs.IsID(far.ID) && runs.Mine(far.Dir) {
		there := runs.Read(far)
		_, alive := runs.Driver(far)
		if alive && there.Via == "" && there.Task == here.Task &&
			!there.Started.Before(here.Started) {
			return far, nil
		}
	}
	return r, prog.Errorf(prog.No, "%s: messages can't reach its agent, which %s runs elsewhere",
		r.ID, style.FirstLine(here.Via, 60)).
		Hintf("on its machine: ua send %s ...", style.FirstLine(here.Far, 40))
}

// sender returns who is speaking: "user", or the ID of the run that this command belongs
// to.
func sender() string {
	if dir := ancestry.Here().Dir; dir != "" {
		return filepath.Base(dir)
	}
	return "user"
}
