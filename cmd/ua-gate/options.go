package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ua/cmd/ua-gate/internal/grant"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// help is the text of --help.
const help = `
usage: ua-gate [options]
       ua-gate check [options] [COMMAND|-]
       ua-gate explain [options] [COMMAND|-]
       ua-gate test [options] [POLICY]
       ua-gate replay [options] JOURNAL...
       ua-gate watch [options]
       ua-gate hook [options] AGENT

Write a verdict after each tool_call of the events on standard input.

Options:
  --ask               ask a person on /dev/tty where the policy says so
  --ask-timeout TIME  wait this long for an answer (5m), then deny
  --answers FILE      ask as --ask does, but read answer events from FILE
  --policy FILE       add a policy to the user's own; may be repeated
  --journal FILE      tell the judge the instruction that the run's journal holds
  --keys-fd N         read the judge's variables from descriptor N
  --shell NAME        read the commands as bash, sh, zsh or fish does
  --cwd DIR           judge as if the commands ran in DIR
  --unconfined        judge commands that run outside ua's sandbox
  --live              judge commands of a shell that is in a sandbox as a whole
  --try               judge commands that run in a try and can be undone; with
                      hook --confine: run those in one that may lose files
  --write PATH        the sandbox lets commands write PATH, whatever it is
  --read PATH         the sandbox shows commands PATH, which it would hide
  --env NAME          the sandbox passes the variable, which it would withhold
  --net-allow HOST    the sandbox reaches HOST, "packages" or "git"
  --json              check, explain, replay: print JSON
  --no-ask            hook: deny what the other agent would have to ask about
  --confine           hook: run in the sandbox all that it holds, not only what reads
  --no-confine        hook: run nothing in the sandbox, but ask
  --install AGENT     hook: write the hook into the agent's settings
  --uninstall AGENT   hook: take the hook out of the agent's settings
  --print             with --install: print the hook, and write nothing
  --check AGENT       hook: test that the agent asks, with a call that is denied
  --version           print the version
  --help              print this help

AGENT is claude-code, codex, gemini-cli, qwen-code, opencode, copilot-cli or crush.
`

// options are what the flags say.
type options struct {
	ask, json, noAsk             bool
	confine, noConfine           bool
	confining                    bool // what reads may run in the sandbox
	unconfined, try, live        bool
	hooked                       bool // the command is another agent's
	undo                         bool // which runs in a try if it may lose files
	answers, journal, shell, cwd string
	install, uninstall, check    string
	print                        bool
	askTimeout                   time.Duration
	policies                     []string
	write, read                  []string // to which paths the run's sandbox is opened
	variables, hosts             []string // and to which variables and hosts
	keysFD                       int      // -1 if the judge's keys are in the environment
}

// parseOptions reads the flags and returns the operands.
func parseOptions(env *prog.Env, args []string) (o options, operands []string, err error) {
	fs := prog.Flags()
	fs.BoolVar(&o.ask, "ask", false, "")
	prog.Duration(fs, &o.askTimeout, "ask-timeout", config.AskTimeout, 0)
	fs.StringVar(&o.answers, "answers", "", "")
	prog.List(fs, &o.policies, "policy")
	fs.StringVar(&o.journal, "journal", "", "")
	prog.Descriptor(fs, &o.keysFD, "keys-fd")
	fs.StringVar(&o.shell, "shell", "bash", "")
	fs.StringVar(&o.cwd, "cwd", "", "")
	fs.BoolVar(&o.unconfined, "unconfined", false, "")
	fs.BoolVar(&o.live, "live", false, "")
	fs.BoolVar(&o.try, "try", false, "")
	prog.List(fs, &o.write, "write")
	prog.List(fs, &o.read, "read")
	prog.List(fs, &o.variables, "env")
	prog.List(fs, &o.hosts, "net-allow")
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.noAsk, "no-ask", false, "")
	fs.BoolVar(&o.confine, "confine", false, "")
	fs.BoolVar(&o.noConfine, "no-confine", false, "")
	fs.StringVar(&o.install, "install", "", "")
	fs.StringVar(&o.uninstall, "uninstall", "", "")
	fs.StringVar(&o.check, "check", "", "")
	fs.BoolVar(&o.print, "print", false, "")
	if err = env.Parse(fs, args, help); err != nil {
		return o, nil, err
	}
	// A command that is read in the wrong dialect could mean anything.
	if !knownShell(o.shell) {
		return o, nil, prog.Errorf(prog.Trouble, "unknown shell %q", o.shell).Hintf("one of %s",
			strings.Join(shells(), ", "))
	}
	if o.cwd, err = workdir(o.cwd); err != nil {
		return o, nil, err
	}
	o.ask = o.ask || o.answers != ""
	return o, fs.Args(), nil
}

// shells returns the dialects that the gate can read.
func shells() []string { return []string{"bash", "sh", "zsh", "fish"} }

// knownShell reports whether the gate can read the dialect.
func knownShell(name string) bool { return slices.Contains(shells(), name) }

// workdir returns the absolute path of dir, or of the working directory if dir is "". It
// returns "" if that directory is gone.
func workdir(dir string) (string, error) {
	if dir == "" {
		dir, _ = os.Getwd()
		return dir, nil
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return "", prog.Errorf(prog.Trouble, "%q is not a folder", dir)
	}
	return filepath.Abs(dir)
}

// sandbox returns what is around the commands.
func (o *options) sandbox() *grant.Sandbox {
	return &grant.Sandbox{Cwd: o.cwd, Write: o.write, Read: o.read, Variables: o.variables,
		Hosts: o.hosts, Try: o.try, Live: o.live, None: o.unconfined || o.hooked}
}

// mode returns the mode that the options stand for.
func (o *options) mode() policy.Mode {
	switch {
	case o.unconfined:
		return policy.Unconfined
	case o.ask:
		return policy.Attended
	}
	return policy.Unattended
}
