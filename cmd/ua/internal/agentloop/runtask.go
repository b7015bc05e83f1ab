// Package agentloop does a task. It starts think | gate | exec around a journal and keeps the
// ring going until the model has answered or a limit is reached (ua(1)).
package agentloop

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"

	"ua/cmd/ua/internal/settings"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

// Work does the task that the command line gives; help is its usage. A leashed run ends
// as soon as nobody reads its standard output, even while it has nothing to write.
//
// The order of the steps matters. Files are found before the working folder changes. The
// agent's definition and the settings are complete before limits are inherited.
func Work(env *prog.Env, help string, leashed bool) error {
	o, err := parse(env, help, nil)
	if err != nil {
		return err
	}
	if o.resume && o.via == "" {
		if o, err = o.again(env, help); err != nil {
			return err
		}
	}
	if leashed {
		o.leash()
	}
	// Checked here, since a run that begins without room fails at some later start of a
	// process.
	if most, ok := procfs.MayStart(settings.RunPids); !ok {
		return prog.Errorf(prog.TryLater,
			"too few processes: you may have at most %d, threads counted", most).
			Hintf("ua needs about %d more than run now: see ulimit -u", settings.RunPids)
	}
	if o.background && !detached() {
		return startDetached(env)
	}
	if o.via != "" {
		return runVia(env, o)
	}
	s, err := settings.Load()
	if err != nil {
		return err
	}
	if err := o.readSystem(); err != nil {
		return err
	}
	if err := enterFolder(o.Dir, o.sameDir); err != nil {
		return err
	}
	if err := o.become(env, s.Alias); err != nil {
		return err
	}
	if err := o.configure(env, s); err != nil {
		return err
	}
	o.splitPath()
	// The order matters: a subagent's limits come from the folder of its parent, and they
	// decide about its depth.
	o.place()
	o.inherit(env)
	o.offer(env, s.MCP)
	o.readMemory(env)
	if err := depthAllowed(env, o); err != nil {
		return err
	}
	t, err := readTask(env, o)
	if err != nil {
		return err
	}
	if err := doTask(env, o, t); err != nil {
		return err
	}
	noticeUnread(env, o)
	return nil
}

// Far is the agent's side of --via. It reads the arguments from the first line of
// standard input, does the task, and prints its events. help is the usage of a run.
func Far(env *prog.Env, help string) error {
	line, err := firstLine(env.Stdin)
	if err != nil && err != io.EOF {
		return prog.Errorf(prog.Trouble, "far: stdin: %v", err)
	}
	var q farRequest
	if err := json.Unmarshal(line, &q); err != nil || q.Args == nil {
		return prog.Errorf(prog.Trouble, "far: the first line of stdin is not a request").
			Hintf("ua --via CMD runs CMD ua far")
	}
	env.Args = q.Args
	return Work(env, help, true)
}

// enterFolder changes to the task's folder. A run in a folder that was removed could neither
// name it nor confine commands to it. That of a run which goes on has to be where it was: a
// command of another run may have put a link in its place.
func enterFolder(dir string, same bool) error {
	if dir != "" {
		if err := os.Chdir(dir); err != nil {
			return prog.Errorf(prog.Trouble, "%q: %v", dir, err.(*os.PathError).Err)
		}
		if real, err := syscall.Getwd(); same && err == nil && real != dir {
			return prog.Errorf(prog.Trouble, "%q, the run's folder: a link leads to %q now", dir, real).
				Hintf("-C DIR says in which folder it goes on")
		}
	}
	if _, err := os.Getwd(); err != nil {
		return prog.Errorf(prog.Trouble, "the working directory is gone: %v",
			errors.Unwrap(err)).Hintf("cd to one that exists, or give one with -C")
	}
	return nil
}
