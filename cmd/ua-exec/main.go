// Ua-exec runs the commands that ua-gate let through and answers those that it
// did not: a filter of events (ua-events(5)) that adds a tool_result for every
// tool_call.
package main

import (
	"os"

	"ua/internal/common/prog"
)

func main() { prog.Main("ua-exec", run) }

func run(env *prog.Env) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	if needsGuard() {
		return guard(env)
	}
	return serve(env, o, os.Environ())
}
