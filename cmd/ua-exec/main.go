// Ua-exec runs the commands that ua-gate let through and answers those that it
// did not: a filter of events (ua-events(5)) that adds a tool_result for every
// tool_call.
package main

import (
	"os"

	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

func main() { prog.Main("ua-exec", run) }

func run(env *prog.Env) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	if most, ok := procfs.Room(ownThreads); !ok {
		return prog.Errorf(prog.TryLater,
			"at most %d processes and threads may run here, and that is "+
				"too few", most).Hintf("ua-exec itself needs about %d: see ulimit -u, and --pids "+
			"of ua-sandbox",
			ownThreads)
	}
	if needsGuard() {
		return guard(env)
	}
	return serve(env, o, os.Environ())
}
