package main

import (
	"fmt"
	"os"
	"slices"
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
	tried, err := triedRuns()
	if len(list) == 0 && err != nil {
		return err
	} else if len(list) == 0 && !applied(tried[0]) {
		return unapplied(tried)
	} else if len(list) == 0 {
		list = tried
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
	if len(tried) > 0 && tried[0].ID != list[0].ID && !confirmed(env, "undo", list[0]) {
		return prog.Exit(prog.No)
	}
	env.Warnf("undo: %s", withTask(list[0]))
	program := prog.Sibling("ua-try")
	argv := []string{"ua-try", "undo", dir}
	if force {
		argv = []string{"ua-try", "undo", "--force", dir}
	}
	return prog.Errorf(prog.NotFound, "ua-try: %v", syscall.Exec(program, argv,
		config.WithoutKeys(os.Environ())))
}

// triedRuns returns the runs that have a try, newest first: one at least.
func triedRuns() (tried []run.Run, err error) {
	list, err := run.List(ancestry.Here().Folder())
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if _, err := os.Stat(runtry.Link(r)); err == nil {
			tried = append(tried, r)
		}
	}
	if len(tried) == 0 {
		return nil, prog.Errorf(prog.No, "undo: no run has a try that could be undone").
			Hintf("ua --try and ua --atomic keep one")
	}
	return tried, nil
}

// applied reports whether something of the run's try may be applied.
func applied(r run.Run) bool {
	t := runtry.Of(r)
	return t == nil || !t.Kept && !t.Empty
}

// unapplied returns the error for the newest run with a try, of which nothing is applied. An
// older one is named and not taken: a script means what it has just run.
func unapplied(tried []run.Run) error {
	e := prog.Errorf(prog.No, "undo: nothing is applied of %s", withTask(tried[0]))
	if i := slices.IndexFunc(tried, applied); i > 0 {
		return e.Hintf("before it, %s was applied: ua undo %s", withTask(tried[i]), tried[i].ID)
	}
	return e
}

// withTask returns the run's ID and its task.
func withTask(r run.Run) string {
	return fmt.Sprintf("%s (%s)", r.ID, style.FirstLine(runfolder.Read(r).Task, 60))
}
