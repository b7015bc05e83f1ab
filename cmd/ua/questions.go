package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/confine"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/style"
)

// asksVerb lists the open questions of all runs of the user.
func asksVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, args, helpOf("asks")); err != nil {
		return err
	}
	list, err := runs.List(run.Root())
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	for _, i := range live(list) {
		for _, q := range questions(i.Run) {
			if *asJSON {
				line := event.New("ask").Str("run", i.ID).Raw("ask", q).Line()
				env.Printf("%s\n", line)
				continue
			}
			asked, _ := time.Parse(time.RFC3339, event.Str(q, "ts"))
			env.Outf("%s  %s  %s  %s  %s\n  %s\n", i.ID, time.Since(asked).Round(time.Second),
				style.FirstLine(event.Str(q, "call_id"), 40), event.Str(q, "risk"),
				style.FirstLine(event.Str(q, "command"), 400), style.FirstLine(event.Str(q, "reason"), 400))
		}
	}
	return nil
}

// questions returns the open questions of a run that takes answers from elsewhere. A question
// is open until the verdict about its call.
func questions(r run.Run) (open [][]byte) {
	if _, err := os.Stat(filepath.Join(r.Dir, run.AnswersFolder)); err != nil {
		return nil
	}
	f, err := regular.Open(r.Journal())
	if err != nil {
		return nil
	}
	defer f.Close()
	for events := event.NewReader(f); ; {
		line, err := events.Line()
		var bad *event.Malformed
		if errors.As(err, &bad) {
			continue
		} else if err != nil {
			return open
		}
		switch event.Type(line) {
		case "ask", "verdict", "summary":
			id := event.Str(line, "call_id")
			open = slices.DeleteFunc(open, func(q []byte) bool {
				return event.Str(q, "call_id") == id || event.Type(line) == "summary"
			})
			if event.Type(line) == "ask" {
				open = append(open, slices.Clone(line))
			}
		}
	}
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
	r, err := runs.Find(run.Root(), args[0])
	if err != nil {
		return err
	}
	_, alive := runs.Driver(r)
	open := questions(r)
	if !alive || len(open) == 0 {
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
	path := filepath.Join(r.Dir, run.AnswersFolder, run.AnswerFile(id))
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	err := os.WriteFile(part, e.Str("by", who).Line(), 0o600)
	if err == nil {
		err = os.Link(part, path) // fails if there is an answer
		os.Remove(part)
	}
	if errors.Is(err, os.ErrExist) {
		return prog.Errorf(prog.No, "%s: the question has already been answered", r.ID)
	} else if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", r.ID, err)
	}
	return nil
}
