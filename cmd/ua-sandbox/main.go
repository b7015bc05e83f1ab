// Ua-sandbox confines itself by a profile and then runs a command in its place:
// ua-sandbox [options] -- command.
package main

import (
	"errors"
	"os"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/prog"
)

// main is a stage of the sandbox if argv[0] says so, and otherwise the program that a caller
// has started.
func main() {
	if stage := stage(os.Args[0]); stage != nil {
		prog.Stage("ua-sandbox", stage)
	}
	prog.Main("ua-sandbox", run)
}

// run does what the command line asks for.
func run(env *prog.Env) error {
	o, command, err := parse(env)
	if err == nil {
		err = act(env, o, command)
	}
	return tellRefused(o.statusFD, err)
}

// act does what the options ask for.
func act(env *prog.Env, o *options, command []string) (err error) {
	switch {
	case o.connect:
		return connect(env, command)
	case o.lastLook:
		return lastLooks(env, o)
	case o.probe:
		return probe(env, o.json)
	case len(command) == 0 && !o.explain:
		return usage("no command").Hintf("ua-sandbox [options] -- command")
	}
	if o.Options, err = access.Expand(o.Options); err != nil {
		return usage("%w", err)
	}
	if err := o.check(); err != nil {
		return err
	}
	// Before anything is started, so that no child inherits it.
	for option, fd := range map[string]int{"status": o.statusFD, "net-allow": o.netAllowFD} {
		if fd >= 0 {
			if err := closeAtExec(option, fd); err != nil {
				return err
			}
		}
	}
	if o.explain {
		return explain(env, o)
	}
	return runConfined(env, o, command)
}

// connect joins standard input and output to a host, through the proxy.
func connect(env *prog.Env, args []string) error {
	if len(args) != 2 {
		return usage("--connect: want HOST PORT")
	}
	return proxy.Connect(args[0], args[1], env.Stdin, env.Stdout, os.Getenv)
}

// parse reads the command line. Its errors have the status of a chain loader's own usage,
// so that a caller can distinguish them from the command's status.
func parse(env *prog.Env) (*options, []string, error) {
	fs, o := flags()
	err := env.Parse(fs, env.Args, help)
	var e *prog.Error
	if errors.As(err, &e) {
		e.Status = prog.LoaderUsage
	}
	return o, fs.Args(), err
}
