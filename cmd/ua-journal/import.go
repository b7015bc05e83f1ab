package main

import (
	"os"

	"ua/cmd/ua-journal/internal/appender"
	"ua/cmd/ua-journal/internal/foreign"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// importVerb makes a run of a session that another agent has kept in a file, and prints its ID.
func importVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var from string
	prog.Choice(fs, &from, "from", "", foreign.Agents()...)
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if from == "" || fs.NArg() != 1 {
		return prog.Errorf(prog.Trouble, "import takes --from AGENT and one file").
			Hintf("an agent is %s", prog.OneOf(foreign.Agents()))
	}
	f, err := safefile.Named(fs.Arg(0))
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer f.Close()
	r, err := run.New(run.Parent())
	if err != nil {
		return err
	}
	a, err := appender.Open(r.Journal(), appender.Options{Sync: "none"})
	if err == nil {
		err = a.Close(foreign.Import(from, r.ID, f, a.Take))
	}
	if err != nil {
		_ = os.RemoveAll(r.Dir)
		return err
	}
	env.Outf("%s\n", r.ID)
	return nil
}
