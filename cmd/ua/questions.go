package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/confine"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
)

// asksVerb lists the open questions of all runs of the user.
func asksVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, args, helpOf("asks")); err != nil {
		return err
	}
	return runfolder.Some(run.Root(), func(r run.Run) {
		for _, q := range runfolder.Asked(r) {
			if *asJSON {
				env.Printf("%s\n", event.New("ask").Str("run", r.ID).Raw("ask", q).Line())
				continue
			}
			at, _ := time.Parse(time.RFC3339, event.Str(q, "ts"))
			env.Outf("%s  %s  %s  %s  %s\n  %s\n", r.ID, time.Since(at).Round(time.Second),
				style.FirstLine(event.Str(q, "call_id"), 40), style.FirstLine(event.Str(q, "risk"), 20),
				style.FirstLine(event.Str(q, "command"), 400), style.FirstLine(event.Str(q, "reason"), 400))
		}
	})
}

// answerVerb answers a question of a run: RUN [CALL] yes, no, "edit: COMMAND", or words to the
// model, which go with a no.
func answerVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, helpOf("answer")); err != nil {
		return err
	}
	args = fs.Args()
	switch {
	case confine.Inside() != "" || ancestry.Here().Dir != "":
		return prog.Errorf(prog.No, "answer: a command of a run can't answer questions")
	case len(args) < 2:
		return prog.Errorf(prog.Trouble, "answer: want RUN [CALL] yes, no, \"edit: COMMAND\" or words").
			Hintf("ua asks lists the questions")
	}
	r, err := runfolder.Find(run.Root(), args[0])
	if err != nil {
		return err
	}
	open := runfolder.Asked(r)
	if len(open) == 0 {
		return prog.Errorf(prog.No, "%s has no open question", r.ID).Hintf("ua asks lists them")
	}
	words := args[1:]
	if at := slices.IndexFunc(open, func(q []byte) bool {
		return event.Str(q, "call_id") == args[1]
	}); at >= 0 && len(args) > 2 {
		open, words = open[at:at+1], args[2:]
	}
	if len(open) > 1 {
		return prog.Errorf(prog.Trouble, "%s has %d open questions: name the call", r.ID, len(open))
	}
	return put(r, open[0], strings.TrimSpace(strings.Join(words, " ")))
}

// put writes an answer to where the run's gate takes it. The first one holds.
func put(r run.Run, question []byte, text string) error {
	id := event.Str(question, "call_id")
	e := event.New("answer").Str("call_id", id)
	edited, edit := strings.CutPrefix(text, "edit:")
	switch {
	case edit:
		e.Str("decision", "edit").Str("command", strings.TrimSpace(edited))
	case text == "yes" || text == "y":
		e.Str("decision", "yes")
	case text == "no" || text == "n":
		e.Str("decision", "deny")
	default:
		e.Str("decision", "deny").Str("reason", text)
	}
	who := fmt.Sprint(os.Getuid())
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	err := runfolder.Answer(r, question, e.Str("by", who).Line())
	if errors.Is(err, os.ErrExist) {
		return prog.Errorf(prog.No, "%s: the question has already been answered", r.ID)
	} else if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", r.ID, err)
	}
	return nil
}
