package main

import (
	"flag"
	"strings"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// parse reads the options of a verb, which takes so many operands at most; -1 is any number.
func parse(env *prog.Env, verb string, fs *flag.FlagSet, args []string, most int) error {
	err := env.Parse(fs, args, helpOf(strings.Fields(verb)[0]))
	if err == nil && most >= 0 && fs.NArg() > most {
		err = agentloop.AsTask(verb, fs.Args(), prog.Errorf(prog.Trouble, "%q: %s takes %s",
			fs.Arg(most), verb, []string{"no operands", "one operand"}[most]))
	}
	return err
}

// named returns the runs that the operands name, or those that hold without any.
func named(verb string, names []string, usual ...string) (list []run.Run, err error) {
	folder := ancestry.Here().Folder()
	if len(names) == 0 {
		names = usual
	}
	for _, name := range names {
		r, err := runfolder.Find(folder, name)
		if err != nil {
			return nil, agentloop.AsTask(verb, names, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// liveShell returns an error for a session of ua-shell that goes on: its person steers and ends
// it. hint says how.
func liveShell(r run.Run, hint string) error {
	if _, driven := runfolder.Driver(r); driven || !runfolder.Read(r).Live() {
		return nil
	}
	return prog.Errorf(prog.No, "%s is a session of ua-shell", r.ID).Hintf("%s", hint)
}
