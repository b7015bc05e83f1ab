// Ua-gate judges each command that a model proposes: it writes a verdict after
// each tool_call that passes through it (ua-gate(1)).
package main

import (
	"os"

	"ua/internal/common/prog"
)

const help = `
Usage: ua-gate [options]
       ua-gate check|explain [options] [COMMAND|-]
       ua-gate test [POLICY]
       ua-gate replay [options] JOURNAL...
       ua-gate hook [options] claude-code|codex|gemini|crush

Judge the tool calls of the events on standard input.

Options:
  --ask             a person is there: ask on /dev/tty where the policy says ask
`

func main() { prog.Main("ua-gate", run) }

func run(env *prog.Env) error {
	o, args, err := parseOptions(env, env.Args)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return prog.Errorf(prog.Trouble, "unknown verb %q", args[0])
	}
	g, err := newGate(env, o)
	if err != nil {
		return err
	}
	return g.filter(env.Stdin, env.Stdout)
}

// options are what the flags say.
type options struct {
	ask       bool
	afterGate bool
	shell     string
}

func parseOptions(env *prog.Env, args []string) (options, []string, error) {
	o := options{}
	fs := prog.Flags()
	fs.BoolVar(&o.ask, "ask", false, "")
	fs.BoolVar(&o.afterGate, "after-gate", false, "")
	fs.StringVar(&o.shell, "shell", "bash", "")
	err := env.Parse(fs, args, help)
	return o, fs.Args(), err
}

// workdir is the folder in which the commands will run.
func workdir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
