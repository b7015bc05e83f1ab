package main

import (
	"errors"
	"flag"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/broker"
	"ua/internal/common/prog"
)

// options are the command line of a run.
type options struct {
	out    string
	link   string
	dirs   []string
	except []string
	quiet  bool
	tryFD  int // where the try's folder is written, -1 for nowhere
}

// verbs returns what the first word can be.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"ls": list, "diff": show, "apply": apply, "undo": undo, "drop": drop, "serve": serve,
		broker.EnterVerb: enter,
	}
}

func run(env *prog.Env) error {
	if os.Args[0] == initName {
		return initStage(env)
	}
	if len(env.Args) > 0 {
		if verb := verbs()[env.Args[0]]; verb != nil {
			if onTries(env.Args[0]) && asksOutside() {
				return askVerb(env, env.Args[0], env.Args[1:])
			}
			return verb(env, env.Args[1:])
		}
	}
	fs, o := prog.Flags(), &options{tryFD: -1}
	fs.StringVar(&o.out, "o", "", "")
	fs.StringVar(&o.link, "link", "", "")
	fs.BoolVar(&o.quiet, "quiet", false, "")
	prog.Number(fs, &o.tryFD, "try-fd", o.tryFD, 0, 65535)
	for name, list := range map[string]*[]string{"dir": &o.dirs, "except": &o.except} {
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
		return usage("unknown verb %q", fs.Arg(0)).Hintf("%s", suggestion(fs))
	case fs.NArg() > 0:
		return usage("unexpected %q before --", fs.Arg(0)).Hintf("ua-try [options] -- command")
	case len(command) == 0:
		return usage("no command").Hintf("ua-try -- command; --help lists the rest")
	}
	if o.tryFD >= 0 {
		unix.CloseOnExec(o.tryFD)
	}
	if asksOutside() {
		return askRun(o, command)
	}
	return runTry(env, o, command)
}

// onTries reports whether a verb is one for tries that are there.
func onTries(verb string) bool { return verb != "serve" && verb != broker.EnterVerb }

// suggestion returns the verb that was meant, or how to run a command.
func suggestion(fs *flag.FlagSet) string {
	var names []string
	for name := range verbs() {
		if name != broker.EnterVerb {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if near := prog.Nearest(fs.Arg(0), names); near != "" {
		return "did you mean " + near + "?"
	}
	return "ua-try -- " + fs.Arg(0) + " runs a command"
}

// loaderUsage gives errors of the command line the chain loader's status, so
// that a caller can tell them from the command's own.
func loaderUsage(err error) error {
	var e *prog.Error
	if errors.As(err, &e) {
		e.Status = prog.LoaderUsage
	}
	return err
}
