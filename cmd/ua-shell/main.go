// Command ua-shell runs the user's own shell in a PTY, where a line that starts
// with # is an instruction to an agent (ua-shell(1)).
package main

import (
	"os"

	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/shell"
	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/prog"
)

const help = `
usage: ua-shell [options] [-- ARGUMENT...]

Start your shell, with an agent in it.

Options:
  --debug-osc FILE  write what the shell's marks say to FILE
  --no-agent        pass bytes and do nothing else
  --no-integration  do not have the shell say what it is at
  --shell NAME      the shell to start: bash, zsh or fish (your login shell)
  --version         print the version
  --help            print this
`

func main() { prog.Main("ua-shell", run) }

// options are what the flags say.
type options struct {
	shell, debug           string
	noAgent, noIntegration bool
	args                   []string // of the shell
}

func parse(env *prog.Env) (o options, err error) {
	fs := prog.Flags()
	fs.StringVar(&o.shell, "shell", "", "")
	fs.StringVar(&o.debug, "debug-osc", "", "")
	fs.BoolVar(&o.noAgent, "no-agent", false, "")
	fs.BoolVar(&o.noIntegration, "no-integration", false, "")
	err = env.Parse(fs, env.Args, help)
	o.args = fs.Args()
	return o, err
}

func run(env *prog.Env) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	sh, err := shell.Find(o.shell)
	if err != nil {
		return err
	}
	sh.Args = o.args
	tty := terminal.Open(env.Stdin, env.Stdout)
	if why := unfit(tty); why != "" {
		env.Warnf("%s: %s is started without it", why, sh.Name())
		return sh.Exec()
	}
	w := &wrapper{tty: tty, shell: sh}
	if o.noAgent || o.noIntegration || !integration.Fits(sh) {
		return w.run()
	}
	return integrated(env, o, w)
}

// integrated runs the shell with an agent in it.
func integrated(env *prog.Env, o options, w *wrapper) error {
	var debug *os.File
	if o.debug != "" {
		var err error
		if debug, err = os.OpenFile(o.debug, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
			return prog.Errorf(prog.Trouble, "%v", err)
		}
	}
	meet, err := integration.New()
	if err == nil {
		w.shell, err = meet.Prepare(w.shell)
	}
	if err != nil {
		env.Warnf("%v: the agent is off", err)
		return w.run()
	}
	defer meet.Close()
	newSession(w, meet, debug)
	return w.run()
}

// unfit says why a shell can't be wrapped here, or "".
func unfit(tty *terminal.Terminal) string {
	switch {
	case tty == nil:
		return "not on a terminal"
	case os.Getenv("TERM") == "dumb":
		return "the terminal is dumb"
	case os.Getenv(shell.EnvTTY) == terminal.Name(tty.In()):
		return "this is a ua-shell already"
	}
	return ""
}
