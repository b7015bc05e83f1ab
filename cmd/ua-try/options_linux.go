package main

import (
	"errors"
	"flag"
	"slices"

	"ua/internal/common/prog"
)

// options are the command line of a run.
type options struct {
	out    string
	link   string
	dirs   []string
	except []string
	quiet  bool
	goOn   string // the try that the command goes on in, "" for a new one
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
