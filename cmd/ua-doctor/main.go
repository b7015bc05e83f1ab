// Ua-doctor checks whether a task would work here and says how to mend what would not: the
// programs, the model and its key, the sandbox's layers, the shells, the settings and the
// folders (ua-doctor(1)).
package main

import (
	"context"
	"fmt"
	"io"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

func main() { prog.Main("ua-doctor", start) }

// help is the text of --help.
const help = `usage: ua-doctor [--json]

Check what is here, what is missing, and say what to do.

  --help                print this help and exit
  --json                print one JSON object
  --version             print the version and exit`

// start examines. Its status is 1 when a check failed; a warning leaves it 0.
func start(env *prog.Env) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, env.Args, help); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return prog.Errorf(prog.Trouble, "%q: takes no operand", fs.Arg(0))
	}
	// Settings that do not load are found by a check below, which says why.
	var s struct {
		UA struct{ Think string } `toml:"ua"`
	}
	_ = config.Load(&s)
	ctx, stop := prog.Interruptible()
	defer stop()
	list := examine(ctx, s.UA.Think)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var err error
	if *asJSON {
		_, err = fmt.Fprintf(env.Out(), "%s\n", asObject(list))
	} else {
		_, err = io.WriteString(style.Folding(env.Stdout), asText(style.For(env.Stdout), list))
	}
	if err == nil && !works(list) {
		err = prog.Exit(prog.No)
	}
	return err
}

// examine runs all checks in the order in which a task needs them. think is the command that
// the settings put in place of ua-think, or "".
func examine(ctx context.Context, think string) []Check {
	var list []Check
	for _, part := range []func(context.Context) []Check{programs, settings, folders, skills,
		servers, sandbox} {
		list = append(list, part(ctx)...)
	}
	// A trial run would only repeat what has failed already.
	if works(list) {
		list = append(list, trial(ctx, think))
	}
	asked := model
	if think != "" {
		asked = func(ctx context.Context) []Check { return []Check{command(ctx, think)} }
	}
	for _, part := range []func(context.Context) []Check{asked, keys, shells, desktop, doors} {
		list = append(list, part(ctx)...)
	}
	return list
}
