// Command ua runs an agent: it asks a model to do a task with the shell and
// prints the answer (ua(1)).
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/term"

	"ua/cmd/ua/internal/jobserver"
	"ua/cmd/ua/internal/settings"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/prog"
)

func main() {
	if stage.OneProcessor() != nil {
		runtime.GOMAXPROCS(1) // as for the stages
	}
	prog.Main("ua", ua)
}

func ua(env *prog.Env) error {
	if len(env.Args) > 0 {
		if do := verbs()[env.Args[0]]; do != nil {
			return do(env, env.Args[1:])
		}
	}
	if path, ok := program(env.Args); ok {
		if err := sounds(env, env.Args); err != nil {
			return err
		}
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			append([]string{filepath.Base(path)}, env.Args[1:]...), os.Environ()))
	}
	if path := session(env); path != "" {
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			[]string{"ua-shell"}, os.Environ()))
	}
	if err := meant(env.Args); err != nil {
		return err
	}
	return work(env, false)
}

// work does the task of the command line. A leashed run ends when nobody reads its
// standard output any more, and does not wait until it has something to write.
func work(env *prog.Env, leashed bool) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	if o.background && prog.StdoutClosed() {
		return prog.Errorf(prog.Trouble, "stdout is closed: the run's ID would be lost")
	}
	if o.out == "" && prog.StdoutClosed() {
		return prog.Errorf(prog.Trouble, "stdout is closed: the answer would be lost").
			Hintf("-o FILE keeps it in a file; >/dev/null does without it")
	}
	if o.background && !detached() {
		return startDetached(env)
	}
	if !o.background {
		o.slot = jobserver.Take()
		defer o.slot.Release()
	}
	if o.via != "" {
		return limited(env, runVia(env, o))
	}
	o.leashed = leashed
	s, err := settings.Load()
	if err != nil {
		return err
	}
	if err := o.readSystem(); err != nil {
		return err
	}
	if err := enter(o.dir); err != nil {
		return err
	}
	if err := o.become(env, s.Alias); err != nil {
		return err
	}
	if err := o.configure(env, s); err != nil {
		return err
	}
	o.place()
	o.inherit(env)
	o.recallNotes(env)
	if err := depthAllowed(env, o); err != nil {
		return err
	}
	t, err := readTask(env, o)
	if err != nil {
		return err
	}
	if err := limited(env, ring(env, o, t)); err != nil {
		return err
	}
	noticeUnread(env, o)
	return nil
}

// limited prints the line of a run that was refused, for a parent's model to read.
func limited(env *prog.Env, err error) error {
	var limit *limitError
	if !errors.As(err, &limit) {
		return err
	}
	fmt.Fprintln(env.Stderr, limit.line)
	return prog.Exit(prog.TryLater)
}

// session returns the path of ua-shell for a ua that is alone on a terminal, "" for any
// other. Inside of ua-shell no second one is started.
func session(env *prog.Env) string {
	if len(env.Args) > 0 || os.Getenv("UA_SHELL_TTY") != "" ||
		!term.IsTerminal(int(env.Stdin.Fd())) || !term.IsTerminal(int(env.Stdout.Fd())) {
		return ""
	}
	return prog.Sibling("ua-shell")
}

// enter goes to the task's folder. A run in a folder that is gone could neither
// name it nor confine commands to it.
func enter(dir string) error {
	if dir != "" {
		if err := os.Chdir(dir); err != nil {
			return prog.Errorf(prog.Trouble, "%q: %v", dir, err.(*os.PathError).Err)
		}
	}
	if _, err := os.Getwd(); err != nil {
		return prog.Errorf(prog.Trouble, "the working directory is gone: %v",
			errors.Unwrap(err)).Hintf("cd to one that exists, or give one with -C")
	}
	return nil
}

// program returns the path of ua-NAME when the first argument is NAME.
func program(args []string) (string, bool) {
	if len(args) == 0 || args[0] == "" {
		return "", false
	}
	for _, c := range args[0] {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return "", false
		}
	}
	if args[0][0] == '-' {
		return "", false
	}
	path := prog.Sibling("ua-" + args[0])
	return path, path != ""
}
