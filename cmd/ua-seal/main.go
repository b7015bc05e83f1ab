// Ua-seal keeps copies of files, and runs commands while those files are as they were:
// ua-seal take SEAL GLOBS, ua-seal hold SEAL -- command (ua-seal(1)).
package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

func main() { prog.Main("ua-seal", run) }

// help is the text of --help.
const help = `usage: ua-seal take SEAL GLOBS ...
       ua-seal hold [--json] SEAL -- command [argument ...]

Copy the paths of the working folder that match GLOBS into the new folder SEAL.
Later, run a command while these paths, and no others that match, are as they were.
GLOBS are parted by spaces; ** stands for folders at any depth.

  --json        print what had been changed, and what the command changed, as an event
  --help        print this help and exit
  --version     print the version and exit`

// run does what the first word asks for.
func run(env *prog.Env) error {
	fs, args := prog.Flags(), env.Args
	asJSON := fs.Bool("json", false, "")
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if args = fs.Args(); len(args) > 2 && args[1] == "--" {
		args = append(args[:1:1], args[2:]...)
	}
	switch {
	case len(args) < 2:
	case verb == "take":
		return take(env, args[0], strings.Fields(strings.Join(args[1:], " ")))
	case verb == "hold":
		return hold(env, args[0], args[1:], *asJSON)
	}
	return usage("want take SEAL GLOBS, or hold SEAL -- command")
}

// usage returns an error of the command line, with the status of a chain loader.
func usage(format string, a ...any) *prog.Error {
	return prog.Errorf(prog.LoaderUsage, format, a...)
}

// hold runs a command while the sealed paths are as they were, and then puts back what they
// had become. A command under which one was touched has failed.
func hold(env *prog.Env, at string, command []string, asJSON bool) error {
	s, err := open(at)
	if err != nil {
		return err
	}
	if err := s.back(); err != nil { // of a hold that was killed
		return err
	}
	changed, err := s.restore()
	var w *watch
	if err == nil {
		w, err = s.watch()
	}
	if err != nil {
		_ = s.back()
		return err
	}
	before := s.look(true)
	status := s.command(command)
	touched := union(w.stop(), differ(before, s.look(true)))
	if err := s.back(); err != nil {
		return err
	}
	if asJSON {
		env.Printf("%s\n", event.New("sealed").Raw("changed", text(changed)).
			Raw("touched", text(touched)).Line())
	} else if len(changed) > 0 {
		env.Warnf("changed since they were sealed: %s", style.FirstLine(
			strings.Join(changed, ", "), 400))
	}
	switch {
	case len(touched) > 0:
		return prog.Errorf(prog.No, "the command changed sealed paths: %s", style.FirstLine(
			strings.Join(touched, ", "), 400))
	case status != 0:
		return prog.Exit(status)
	}
	return nil
}

// text returns v as JSON.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}

// command runs the command and returns its status. Signals are for it.
func (s *seal) command(command []string) int {
	signals := make(chan os.Signal, 8)
	prog.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	os.Setenv("PATH", s.Path)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return prog.NotFound
	}
	go func() {
		for sig := range signals {
			_ = cmd.Process.Signal(sig)
		}
	}()
	_ = cmd.Wait()
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return cmd.ProcessState.ExitCode()
}
