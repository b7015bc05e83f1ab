// Ua-seal keeps copies of files, and runs commands while those files are as they were:
// ua-seal take SEAL GLOBS, ua-seal hold SEAL -- command (ua-seal(1)).
package main

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

func main() { prog.Main("ua-seal", run) }

// help is the text of --help.
const help = `usage: ua-seal take SEAL GLOBS ...
       ua-seal hold SEAL -- command [argument ...]

Copy the paths of the working folder that match GLOBS into the new folder SEAL.
Later, run a command while these paths, and no others that match, are as they were,
and print which of them had been changed, and which the command has touched.
GLOBS are parted by spaces; ** stands for folders at any depth.

  --help        print this help and exit
  --version     print the version and exit`

// run does what the first word asks for.
func run(env *prog.Env) error {
	fs := prog.Flags()
	if err := env.Parse(fs, env.Args, help); err != nil {
		return err
	}
	args := fs.Args()
	if fs.Arg(2) == "--" {
		args = slices.Delete(args, 2, 3)
	}
	switch {
	case len(args) < 3:
	case args[0] == "take":
		return take(env, args[1], strings.Fields(strings.Join(args[2:], " ")))
	case args[0] == "hold":
		return hold(env, args[1], args[2:])
	}
	return prog.Errorf(prog.LoaderUsage, "want take SEAL GLOBS, or hold SEAL -- command")
}

// hold runs a command while the sealed paths are as they were, and then puts back what they
// had become. A command under which one was touched has failed.
func hold(env *prog.Env, at string, command []string) error {
	s, err := open(at)
	if err == nil {
		err = s.back() // of a hold that was killed
	}
	if err != nil {
		return err
	}
	var stop func() []string
	changed, err := s.restore()
	if err == nil {
		stop, err = s.watch()
	}
	if err != nil {
		return errors.Join(err, s.back())
	}
	status := s.command(env, command)
	touched := stop()
	if err := s.back(); err != nil {
		return err
	}
	env.Printf("%s\n", event.New("sealed").Raw("changed", text(changed)).
		Raw("touched", text(touched)).Line())
	if len(touched) > 0 {
		return prog.Errorf(prog.No, "the command changed sealed paths: %s", style.FirstLine(
			strings.Join(touched, ", "), 400))
	}
	_ = os.RemoveAll(s.in("left", os.Getpid()))
	return prog.Exit(status)
}

// command runs the command and returns its status. A signal to end is for it.
func (s *seal) command(env *prog.Env, command []string) int {
	ctx, stop := prog.Interruptible()
	defer stop()
	os.Setenv("PATH", s.Path)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Run(); cmd.ProcessState == nil {
		return env.Report(execwrap.StartError(command[0], err))
	}
	return prog.Ended(cmd.ProcessState)
}
