package main

import (
	"os"
	"syscall"

	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/runtry"
	"ua/internal/common/style"
)

// undoVerb takes back what a run has changed, with ua-try undo.
func undoVerb(env *prog.Env, args []string) error {
	fs, force := prog.Flags(), false
	fs.BoolVar(&force, "force", false, "")
	if err := parse(env, "undo", fs, args, 1); err != nil {
		return err
	}
	list, err := named("undo", fs.Args())
	if err != nil {
		return err
	}
	newest, err := newestTried()
	if len(list) == 0 && err != nil {
		return err
	} else if len(list) == 0 {
		list = newest
	}
	dir := runtry.Link(list[0])
	if _, ok := list[0].Above(); ok { // commands can write there
		return prog.Errorf(prog.No, "%s: a subagent's changes are in the try of the run above it",
			list[0].ID)
	}
	if _, err := os.Stat(dir); err != nil {
		if _, err := os.Lstat(dir); err == nil {
			return prog.Errorf(prog.No, "%s: its try was dropped, so there is nothing to undo", list[0].ID)
		}
		return prog.Errorf(prog.No, "%s: there is no try to undo", list[0].ID).
			Hintf("ua --try and ua --atomic keep one")
	}
	// What later runs have changed may build on it.
	if len(newest) > 0 && newest[0].ID != list[0].ID && !confirmed(env, "undo", list[0]) {
		return prog.Exit(prog.No)
	}
	env.Warnf("undo: %s (%s)", list[0].ID, style.FirstLine(runfolder.Read(list[0]).Task, 60))
	program := prog.Sibling("ua-try")
	argv := []string{"ua-try", "undo", dir}
	if force {
		argv = []string{"ua-try", "undo", "--force", dir}
	}
	return prog.Errorf(prog.NotFound, "ua-try: %v", syscall.Exec(program, argv,
		config.WithoutKeys(os.Environ())))
}

// newestTried returns the newest run that has a try.
func newestTried() ([]run.Run, error) {
	list, err := run.List(ancestry.Here().Folder())
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if _, err := os.Stat(runtry.Link(r)); err == nil {
			return []run.Run{r}, nil
		}
	}
	return nil, prog.Errorf(prog.No, "undo: no run has a try that could be undone").
		Hintf("ua --try and ua --atomic keep one")
}
