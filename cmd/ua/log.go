package main

import (
	"os"
	"os/exec"
	"strconv"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/runtry"
	"ua/internal/common/stage"
)

// logVerb shows on stdout what a run has done, as ua-journal show does.
func logVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	follow, diff := fs.Bool("follow", false, ""), fs.Bool("diff", false, "")
	prog.Short(fs, "f", "follow")
	var n int
	prog.Number(fs, &n, "n", 0, 1, 0)
	if err := parse(env, "log", fs, args, -1); err != nil {
		return err
	}
	found, err := named("log", fs.Args(), run.Last)
	if err != nil {
		return err
	}
	if *follow && len(found) > 1 {
		return prog.Errorf(prog.Trouble, "-f follows only one run")
	}
	for _, r := range found {
		if *diff {
			err = diffTry(env, r)
		} else {
			err = showRun(env, r, n, *follow)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begun waits for the journal of a run that was just accepted, and reports whether the
// run is still driven.
func begun(r run.Run) (alive bool) {
	for {
		_, alive = runfolder.Driver(r)
		if _, err := os.Stat(r.Journal()); err == nil || !alive {
			return alive
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// showRun prints the last n events of a run. With follow it continues until the run ends.
func showRun(env *prog.Env, r run.Run, n int, follow bool) error {
	args := []string{"show"}
	if n > 0 {
		args = append(args, "-n", strconv.Itoa(n))
	}
	alive := begun(r)
	if follow = follow && alive; follow {
		args = append(args, "-f")
	}
	c, err := stage.Builtin("ua-journal", append(args, r.Journal())...)
	if err != nil {
		return err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = config.WithoutKeys(c.Env), env.Stdout, env.Stderr
	if err := cmd.Start(); err != nil {
		return prog.Errorf(stage.StartStatus(err), "ua-journal: %v", err)
	}
	if follow {
		go func() {
			awaitEnd(r, time.Time{})
			time.Sleep(stage.Grace / 10) // its last lines are on their way
			cmd.Process.Kill()
		}()
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status > 0 { // a signal is ours, or a reader's end
		return prog.Exit(status)
	}
	return nil
}

// diffTry prints what the run's try has changed, as ua-try diff does.
func diffTry(env *prog.Env, r run.Run) error {
	if _, err := os.Stat(runtry.Link(r)); err != nil {
		return prog.Errorf(prog.No, "%s: the run has no try that shows what it changed", r.ID).
			Hintf("ua --try and ua --atomic keep one; git diff shows what differs from a commit")
	}
	cmd := exec.Command(prog.Sibling("ua-try"), "diff", runtry.Link(r))
	cmd.Stdout, cmd.Stderr = env.Stdout, env.Stderr
	if err := cmd.Run(); err != nil {
		return prog.Exit(prog.Ended(cmd.ProcessState))
	}
	return nil
}
