package main

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
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
	r, err := runfolder.Find(ancestry.Here().Folder(), fs.Arg(0))
	if err != nil {
		return agentloop.AsTask("send", fs.Args(), err)
	}
	text := strings.Join(fs.Args()[1:], " ")
	if fs.NArg() == 1 || text == "-" {
		read, err := io.ReadAll(io.LimitReader(env.Stdin, inbox.TextMax+1))
		if err != nil {
			return prog.Errorf(prog.Trouble, "stdin: %v", err)
		}
		text = string(read)
	}
	if err := liveShell(r, "type # and the message at its prompt"); err != nil {
		return err
	}
	_, alive := runfolder.Driver(r)
	switch {
	case strings.TrimSpace(text) == "":
		return prog.Errorf(prog.No, "the message is empty")
	case len(text) > inbox.TextMax:
		return prog.Errorf(prog.Trouble, "the message is longer than %d bytes", inbox.TextMax)
	// Nobody would read it.
	case !alive:
		return prog.Errorf(prog.No, "%s has ended", r.ID).Hintf("ua resume %s %q", r.ID, text)
	}
	if err := here(r); err != nil {
		return err
	}
	if err := inbox.Send(r, inbox.Message{Text: text, From: sender()}); err != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", r.ID, err)
	}
	return nil
}

// here returns an error for a run that an engine does elsewhere (ua(1), Engines): nobody takes
// its messages here.
func here(r run.Run) error {
	i := runfolder.Read(r)
	for until := time.Now().Add(stage.Grace); i.Started.IsZero() && i.Live() &&
		time.Now().Before(until); i = runfolder.Read(r) {
		time.Sleep(10 * time.Millisecond) // its first line, which names an engine, is on its way
	}
	if i.Via == "" {
		return nil
	}
	return prog.Errorf(prog.No, "%s: messages can't reach its agent, which %s runs elsewhere",
		r.ID, style.FirstLine(i.Via, 60)).
		Hintf("on its machine: ua send %s ...", cmp.Or(style.FirstLine(i.Far, 40), "RUN"))
}

// sender returns who is speaking: "user", or the ID of the run that this command belongs
// to.
func sender() string {
	if dir := ancestry.Here().Dir; dir != "" {
		return filepath.Base(dir)
	}
	return "user"
}
