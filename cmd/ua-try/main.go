//go:build linux

// Ua-try runs a command on a copy-on-write view of its folder. It then shows, applies,
// takes back or drops what the command changed: ua-try [options] -- command (ua-try(1)).
package main

import (
	"errors"
	"flag"
	"os"
	"slices"

	"ua/cmd/ua-try/internal/runner"
	"ua/cmd/ua-try/internal/supervisor"
	"ua/internal/common/prog"
)

func main() { prog.Main("ua-try", run) }

// run chooses between the stage inside, a verb and a new try.
func run(env *prog.Env) error {
	if os.Args[0] == supervisor.Name {
		return supervisor.Run(env)
	}
	if len(env.Args) > 0 {
		if verb := verbs()[env.Args[0]]; verb != nil {
			return verb(env, env.Args[1:])
		}
	}
	fs, o := prog.Flags(), &runner.Options{}
	fs.StringVar(&o.Out, "o", "", "")
	fs.StringVar(&o.Link, "link", "", "")
	fs.StringVar(&o.Continue, "continue", "", "")
	fs.BoolVar(&o.Quiet, "quiet", false, "")
	for name, list := range map[string]*[]string{"dir": &o.Dirs, "except": &o.Except} {
		prog.List(fs, list, name)
	}
	dashes := slices.Index(env.Args, "--")
	own, command := env.Args, []string(nil)
	if dashes >= 0 {
		own, command = env.Args[:dashes], env.Args[dashes+1:]
	}
	if err := loaderUsage(env.Parse(fs, own, help)); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0 && dashes < 0:
		return runner.Usage("unknown verb %q", fs.Arg(0)).Hintf("%s", suggestion(fs))
	case fs.NArg() > 0:
		return runner.Usage("unexpected %q before --", fs.Arg(0)).Hintf("ua-try [options] -- command")
	case len(command) == 0:
		return runner.Usage("no command").Hintf("ua-try -- command; --help lists the rest")
	}
	return runner.Run(env, o, command)
}

// verbs returns the functions of the words that can come first.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"ls": list, "diff": show, "apply": apply, "undo": undo, "drop": drop,
	}
}

// suggestion returns the verb that was probably meant, or how to run a command of that
// name.
func suggestion(fs *flag.FlagSet) string {
	var names []string
	for name := range verbs() {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := prog.Nearest(fs.Arg(0), names); near != "" {
		return "did you mean " + near + "?"
	}
	return "ua-try -- " + fs.Arg(0) + " runs a command"
}

// loaderUsage gives errors of the command line the status of a chain loader, so that a
// caller can tell them from the command's own.
func loaderUsage(err error) error {
	var e *prog.Error
	if errors.As(err, &e) {
		e.Status = prog.LoaderUsage
	}
	return err
}
