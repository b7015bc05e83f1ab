package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/agenthooks"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/prog"
	around "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// agentHook answers one pre-tool hook call, or installs, removes or checks the hook. The agent's
// own question takes the person's place, and no sandbox of ours is around the command.
// Every error ends with status 2, which each agent takes as a denial.
func agentHook(env *prog.Env, o options, operands []string) error {
	name, do := "", answerHook
	switch {
	case o.install != "":
		name, do = o.install, installHook
	case o.uninstall != "":
		name = o.uninstall
		do = func(env *prog.Env, _ options, a agenthooks.Agent) error { return a.Uninstall(env) }
	case o.check != "":
		name, do = o.check, checkHook
	case len(operands) == 1:
		name, operands = operands[0], nil
	}
	if name == "" || len(operands) > 0 {
		return prog.Errorf(prog.Trouble, "hook: give the name of one agent")
	}
	a, err := agenthooks.Of(name)
	if err != nil {
		return err
	}
	switch {
	case o.confine && o.noConfine:
		return prog.Errorf(prog.Trouble, "hook: --confine and --no-confine together")
	case o.confine && !a.Confines:
		return prog.Errorf(prog.Trouble, "--confine: it is not known that %s runs what a hook puts in "+
			"the place of a command", a.Name).Hintf("without --confine the hook asks")
	case o.try && !o.confine:
		return prog.Errorf(prog.Trouble, "hook: --try needs --confine, which puts commands into the try")
	}
	return do(env, o, a)
}

// answerHook reads the call from standard input and prints the agent's answer. It prints
// nothing if the tool runs no command.
func answerHook(env *prog.Env, o options, a agenthooks.Agent) error {
	text, err := readAll(env.Stdin)
	if err != nil {
		return err
	}
	in, err := agenthooks.ReadCall(text)
	if err != nil {
		return err
	}
	texts := a.Readings(in)
	// Agents call hooks after a tool, too, when nothing is left to be judged.
	if len(texts) == 0 || !in.Before() {
		return nil
	}
	v, err := judgeTexts(env, o, &a, in, texts)
	if err != nil {
		return err
	}
	// Another tool may do more than run the words, as with its other members: the agent's own rules
	// say whether it may.
	if !isShell(&a, in) && v.Decision == verdict.Allow {
		return nil
	}
	if out := a.Answer(in, v.Decision, v.Risk.String()+": "+v.Reason, v.Command); out != "" {
		env.Outf("%s\n", out)
	}
	return nil
}

// isShell reports whether the call is the text of a command for the agent's own shell.
func isShell(a *agenthooks.Agent, in agenthooks.Call) bool {
	return slices.Contains(a.Shells, in.Tool) && in.Input.Get("command").Type == gjson.String
}

// judgeTexts returns the strictest verdict on the readings of a call.
func judgeTexts(
	env *prog.Env, o options, a *agenthooks.Agent, in agenthooks.Call, texts []agenthooks.Text,
) (*Verdict, error) {
	root := cmp.Or(os.Getenv(a.Project), o.cwd)
	if filepath.IsAbs(in.Cwd) {
		o.cwd = in.Cwd
	}
	project := o.cwd
	if dir := in.Input.Get(a.Dir).Str; a.Dir != "" && dir != "" {
		if o.cwd = dir; !filepath.IsAbs(dir) {
			o.cwd = filepath.Join(project, dir)
		}
	}
	// An ask stays open in the verdict, and becomes the agent's own question.
	o.ask, o.unconfined, o.hooked = true, true, true
	o.try, o.undo = false, o.try // only what is confined is in a try
	o.confining = a.Confines && !o.noConfine && isShell(a, in) && prog.Sibling("ua-sandbox") != ""
	g, err := newGate(env, o, project)
	if err != nil {
		return nil, err
	}
	var v Verdict
	for i, text := range texts {
		c := shellCall("hook", text.Shell)
		c.bad = cmp.Or(text.Bad, c.bad)
		one, failed := g.decide(&c, nil, nil)
		if o.confining && failed == nil {
			one, failed = g.confined(c, one, o.confine && inside(o.cwd, root))
		}
		// Only one command can be put in place of a call.
		if one.Command != "" && len(texts) > 1 {
			one.Decision, one.Reason = verdict.Deny, "a hook of the policy wants instead: "+one.Command
		}
		if more := policy.Strictness(one.Decision) - policy.Strictness(v.Decision); i == 0 || more > 0 ||
			more == 0 && one.Risk > v.Risk {
			v = one
		}
		err = errors.Join(err, failed)
	}
	if v.Decision == verdict.Ask && o.noAsk {
		v.Decision = verdict.Deny
		v.Reason += ": this needs approval, and there is nobody to ask"
	}
	return &v, err
}

// installHook writes the hook into the agent's settings. Where the sandbox does not hold what it
// is to hold, the hook asks.
func installHook(env *prog.Env, o options, a agenthooks.Agent) error {
	if a.Confines && !o.noConfine && !confines() {
		if o.confine {
			return prog.Errorf(prog.Trouble, "--confine: the sandbox holds too little here").
				Hintf("ua-sandbox --probe says why; with --no-confine the hook asks")
		}
		o.noConfine = true
		env.Warnf("the sandbox holds too little here (ua-sandbox --probe), so the hook asks")
	}
	var options []string
	for _, option := range []struct {
		word string
		is   bool
	}{{"--confine", o.confine}, {"--no-confine", o.noConfine}, {"--try", o.try}} {
		if option.is {
			options = append(options, option.word)
		}
	}
	return a.Install(env, options, o.print)
}

// checkHook runs the agent as it is configured, in a folder whose policy denies the one
// command that the test model wants. The gate was asked if the model is told the reason
// of the denial and the command has left no trace. Then it is to run a harmless command, of which
// the model is told that it runs in the sandbox: not so if the agent ignores what the hook puts in
// its place.
func checkHook(env *prog.Env, o options, a agenthooks.Agent) error {
	const policy = "[[deny]]\npattern = \"touch *\"\nreason = \"a trial of ua-gate, TOKEN\"\n"
	t, err := a.Try("touch ran", policy)
	if err != nil {
		return err
	}
	no := func(hint, format string, words ...any) error {
		return prog.Errorf(prog.No, format, words...).
			Hintf("ua-gate hook --install %s%s; its last words were: %s", a.Name, hint, t.Said)
	}
	switch {
	case t.Left != nil && a.Then != "":
		return prog.Errorf(prog.No, "%s ran a command that ua-gate denies", a.Name).Hintf("%s", a.Then)
	case t.Left != nil:
		return no("", "%s ran a command that ua-gate denies", a.Name)
	case t.Told:
		env.Printf("%s asked, its command was denied, and it was told why\n", a.Name)
	// The command left no trace, but the model never learnt of a denial.
	case t.Called:
		return no("", "%s did not run the command, and did not ask ua-gate either", a.Name)
	default:
		silent := errors.New("it did not ask the test model for anything")
		return prog.Errorf(prog.Trouble, "%s: %v", a.Name, cmp.Or(t.Failed, silent)).
			Hintf("its last words were: %s", t.Said)
	}
	if !a.Confines || o.noConfine || !confines() {
		return nil
	}
	probe, option := "if [ $"+around.EnvSandbox+" ]; then echo TOKEN; fi", ""
	if o.confine {
		probe, option = "touch ran; "+probe, " --confine"
	}
	if t, err = a.Try(probe, ""); err != nil {
		return err
	}
	if !t.Told {
		return no(option+", or with --no-confine", "%s ignores what the hook puts in the place of a "+
			"command: it ran nothing in the sandbox", a.Name)
	}
	env.Printf("%s ran a command in the sandbox, as the hook wants\n", a.Name)
	return nil
}
