package main

import (
	"time"

	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// waitVerb waits for runs to end. Its status is that of the last operand, as with wait of
// a shell. Without operands it waits for all runs within reach.
func waitVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var limit time.Duration
	prog.Duration(fs, &limit, "time-limit", 0, 0)
	if err := env.Parse(fs, args, helpOf("wait")); err != nil {
		return err
	}
	found, err := named("wait", fs.Args())
	if err != nil {
		return err
	}
	if fs.NArg() == 0 {
		list, err := runfolder.List(ancestry.Here().Folder())
		if err != nil {
			return prog.Errorf(prog.Trouble, "%v", err)
		}
		for _, i := range live(list) {
			found = append(found, i.Run)
		}
	}
	var until time.Time
	if limit > 0 {
		until = time.Now().Add(limit)
	}
	status := 0
	for _, r := range found {
		if !awaitEnd(r, until) {
			return prog.Errorf(prog.Limit, "%s is still running after %v", r.ID, limit)
		}
		if i := runfolder.Read(r); i.Ended.IsZero() {
			status = prog.Trouble // killed: it could not say
		} else {
			status = i.Status
		}
	}
	if status == 0 || fs.NArg() == 0 {
		return nil
	}
	return prog.Exit(status)
}

// awaitEnd waits until no process drives the run or writes its journal, or until the time if that
// is set, and reports whether the run has ended. It asks for the holder of the lock again and
// again.
func awaitEnd(r run.Run, until time.Time) bool {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		if _, alive := runfolder.Driver(r); !alive && !runfolder.Read(r).Live() {
			return true
		}
		if !until.IsZero() && time.Now().After(until) {
			return false
		}
		time.Sleep(pause)
	}
}
