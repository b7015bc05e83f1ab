// Command ua-shell runs the user's own shell in a PTY, where a line that starts
// with # is an instruction to an agent (ua-shell(1)).
package main

import (
	"os"
	"strings"

	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/shell"
	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// help is the text of --help.
const help = `
usage: ua-shell [options] [-- ARGUMENT...]

Start your own shell, with an agent in it.

Options:
  --ask-timeout TIME  wait this long for an answer to a question (5m)
  --budget-tokens N stop asking the model once the session has used N tokens
  --budget-usd X    stop asking the model once the session has cost X dollars
  --context-tokens N
                    send at most about N tokens of the conversation (60000)
  --debug-osc FILE  write what the shell's marks say to FILE
  --effort LEVEL    set how hard the model thinks: low, medium, high ...
  --lines N         show the model the last N lines that each of your commands
                    printed (200)
  --max-commands N  run no more than N commands for an instruction (200)
  --max-turns N     ask the model no more than N times for an instruction (100)
  -m, --model MODEL ask this model: PROVIDER/NAME
  --no-agent        only pass bytes between the terminal and the shell
  --net-allow HOST  with --sandbox: let the shell reach HOST; may be repeated
  --sandbox PROFILE run the shell in a sandbox: workspace, network, read-only
  --shell NAME      start this shell: bash, zsh or fish (your login shell)
  --version         print the version
  --write DIR       with --sandbox: let the shell write DIR; may be repeated
  --help            print this
`

func main() { prog.Main("ua-shell", start) }

// parse reads the command line.
func parse(env *prog.Env) (o options, err error) {
	fs := prog.Flags()
	fs.StringVar(&o.shell, "shell", "", "")
	fs.StringVar(&o.sandbox, "sandbox", "", "")
	fs.StringVar(&o.debug, "debug-osc", "", "")
	prog.List(fs, &o.write, "write")
	prog.List(fs, &o.netAllow, "net-allow")
	prog.Number(fs, &o.lines, "lines", defaultLines, 1, 0)
	o.bounds(fs)
	fs.StringVar(&o.model, "model", "", "")
	prog.Short(fs, "m", "model")
	fs.BoolVar(&o.noAgent, "no-agent", false, "")
	err = env.Parse(fs, env.Args, help)
	o.args = fs.Args()
	return o, err
}

// start chooses what to run: the shell alone in our place, the shell in a PTY without an
// agent, or the shell with one.
func start(env *prog.Env) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	sh, err := shell.Find(o.shell)
	if err != nil {
		return err
	}
	sh.Args = o.args
	if strings.HasPrefix(os.Args[0], "-") { // as login(1) and sshd(8) start a shell
		sh.Args = append([]string{"-l"}, sh.Args...)
	}
	tty := terminal.Open(env.Stdin, env.Stdout)
	if why := unfit(tty); why != "" {
		env.Warnf("%s: %s is started without it", why, sh.Name())
		return sh.Exec(unwrapped(tty))
	}
	if o.model != "" { // of all that is started beside the shell, whose own it is not
		os.Setenv(config.EnvModel, o.model)
	}
	if _, err := verdict.ParseProfile(o.sandbox); o.sandbox != "" && err != nil {
		return prog.Errorf(prog.Trouble, "--sandbox: %v", err)
	}
	if o.sandbox == string(verdict.ProfileNone) {
		o.sandbox = ""
	}
	if o.sandbox == "" && len(o.write)+len(o.netAllow) > 0 {
		return prog.Errorf(prog.Trouble, "--write and --net-allow need --sandbox").
			Hintf("ua-shell --sandbox workspace …")
	}
	w := &wrapper{tty: tty, shell: sh}
	defer w.fall()
	// A shell with arguments that no script fits runs a script or a command: no agent
	// then.
	if fits := integration.Fits(sh); o.noAgent || !fits {
		if !fits && !o.noAgent && len(sh.Args) == 0 {
			env.Warnf("%s: %s", sh.Name(), silent)
		}
		if o.sandbox != "" {
			if w.shell, err = confined(sh, &o, "", "", nil); err != nil {
				return err
			}
		}
		return w.run()
	}
	if err := o.configure(env); err != nil {
		return err
	}
	return integrated(env, o, w)
}

// integrated runs the shell with an agent in it. Where the shell cannot be prepared, it
// runs without one.
func integrated(env *prog.Env, o options, w *wrapper) error {
	meet, err := integration.New()
	if err == nil {
		w.shell, err = meet.Prepare(w.shell)
	}
	if err != nil {
		env.Warnf("%v: no agent can be started", err)
		return w.run()
	}
	s := newSession(env, o, w, meet)
	defer s.end()
	if o.sandbox != "" {
		if err := s.confine(); err != nil {
			return err
		}
	}
	if o.debug != "" {
		if s.log, err = os.OpenFile(o.debug, os.O_WRONLY|os.O_CREATE|os.O_APPEND,
			0o600); err != nil {
			return prog.Errorf(prog.Trouble, "%v", err)
		}
	}
	return w.run()
}
