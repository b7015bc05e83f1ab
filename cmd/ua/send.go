package main

import (
	"io"
	"path/filepath"
	"strings"

	"ua/cmd/ua/internal/inbox"
	"ua/cmd/ua/internal/runs"
	"ua/internal/common/prog"
)

// sendVerb tells a run something, which its model hears before the next turn.
func sendVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return prog.Errorf(prog.Trouble, "send: to which run?").
			Hintf(`ua ps lists them; ua send RUN "message"`)
	}
	found, err := named("send", fs.Args()[:1])
	if err != nil {
		return err
	}
	text := strings.Join(fs.Args()[1:], " ")
	if fs.NArg() == 1 || text == "-" {
		read, err := io.ReadAll(io.LimitReader(env.Stdin, inbox.TextMax+1))
		if err != nil {
			return prog.Errorf(prog.Trouble, "stdin: %v", err)
		}
		text = string(read)
	}
	r := found[0]
	_, alive := runs.Driver(r)
	switch {
	case strings.TrimSpace(text) == "":
		return prog.Errorf(prog.No, "the message is empty")
	case len(text) > inbox.TextMax:
		return prog.Errorf(prog.Trouble, "the message is longer than %d bytes", inbox.TextMax)
	case !alive:
		return prog.Errorf(prog.No, "%s has ended", r.ID).Hintf("ua resume %s %q", r.ID, text)
	default:
		if err := inbox.Send(r, inbox.Message{Text: text, From: sender()}); err != nil {
			return prog.Errorf(prog.Trouble, "%s: %v", r.ID, err)
		}
	}
	return nil
}

// sender returns who speaks: the user, or the run that a command belongs to.
func sender() string {
	o := &options{}
	if o.place(); o.parent != "" {
		return filepath.Base(o.parent)
	}
	return "user"
}
