package main

import (
	"os"
	"strings"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
)

// recallVerb finds what runs have asked, run and answered. A command of a run asks what drives
// that run, which finds it in the runs of the same project only.
func recallVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, helpOf("recall")); err != nil {
		return err
	}
	words := strings.TrimSpace(strings.Join(fs.Args(), " "))
	if words == "" {
		return prog.Errorf(prog.Trouble, "recall: no words given").Hintf("ua recall flaky test")
	}
	text, err := "", error(nil)
	if above := ancestry.Here(); above.Dir != "" {
		var r *jobs.Reply
		r, err = agentloop.AskDriver(above.Dir, jobs.Request{Do: "recall", Command: words})
		if err == nil {
			text = r.Text
		}
	} else {
		text, err = agentloop.Recall("", words, os.Environ())
	}
	if err == nil && text == "" {
		return prog.Exit(prog.No) // as grep does
	}
	env.Outf("%s", text)
	return err
}
