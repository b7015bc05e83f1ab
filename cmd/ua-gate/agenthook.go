package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/event"
	"ua/internal/common/prog"
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
		name, do = o.uninstall, uninstallHook
	case o.check != "":
		name, do = o.check, checkHook
	case len(operands) == 1:
		name, operands = operands[0], nil
	}
	if name == "" || len(operands) > 0 {
		return prog.Errorf(prog.Trouble, "hook: give the name of one agent")
	}
	a, err := agentOf(name)
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
func answerHook(env *prog.Env, o options, a agent) error {
	text, err := readAll(env.Stdin)
	if err != nil {
		return err
	}
	in, err := readHook(text)
	if err != nil {
		return err
	}
	calls, sure := a.readings(in)
	// Agents call hooks after a tool, too, when nothing is left to be judged.
	if len(calls) == 0 || !in.before() {
		return nil
	}
	v, err := a.judge(env, o, in, calls)
	if err != nil {
		return err
	}
	// The tool may do more than run the words: the agent's own rules say whether it may.
	if !sure && v.Decision == verdict.Allow {
		return nil
	}
	if out := a.answer(in, v); out != "" {
		env.Outf("%s\n", out)
	}
	return nil
}

// A hookCall is what an agent tells of a call, in the agent's own words.
type hookCall struct {
	event, tool, cwd string
	input            gjson.Result
}

// readHook reads a hook's input. A member that occurs twice is an error, since the agent
// may run another of them than the one that is judged.
func readHook(text []byte) (c hookCall, err error) {
	in := gjson.ParseBytes(text) // reads no deeper than it is asked
	if !event.ValidJSON(text) || !in.IsObject() {
		return c, prog.Errorf(prog.Trouble, "stdin is not a JSON object, so the call is denied")
	}
	if twice := twiceIn(in); twice != "" {
		return c, prog.Errorf(prog.Trouble, "the member %q occurs twice, so the call is denied",
			twice)
	}
	first := func(names ...string) (found gjson.Result) {
		for _, name := range names {
			switch v := in.Get(name); {
			case !v.Exists():
			case !found.Exists():
				found = v
			case v.Raw != found.Raw: // the agent may take either
				err = prog.Errorf(prog.Trouble, "the call has two members for one thing, %q among them",
					name)
			}
		}
		return found
	}
	c = hookCall{
		event: first("hook_event_name", "event").Str,
		tool:  first("tool_name", "toolName", "tool").Str,
		cwd:   in.Get("cwd").Str,
		input: first("tool_input", "toolArgs", "args"),
	}
	if err == nil && c.tool == "" && c.before() {
		err = prog.Errorf(prog.Trouble, "the call names no tool, so it is denied")
	}
	if err != nil {
		return c, err
	}
	// Some agents give the input as JSON inside of a string.
	if c.input.Type == gjson.String && event.ValidJSON([]byte(c.input.Str)) {
		c.input = gjson.Parse(c.input.Str)
	}
	if twice := twiceIn(c.input); twice != "" {
		return c, prog.Errorf(prog.Trouble, "the member %q occurs twice, so the call is denied",
			twice)
	}
	return c, nil
}

// twiceIn returns the name of a member that occurs twice in the object, or "". Readers
// that ignore case, as encoding/json does, take "Command" for "command".
func twiceIn(object gjson.Result) (twice string) {
	seen := map[string]bool{}
	if !object.IsObject() {
		return ""
	}
	object.ForEach(func(key, _ gjson.Result) bool {
		name := strings.ToLower(key.Str)
		if seen[name] {
			twice = key.Str
		}
		seen[name] = true
		return twice == ""
	})
	return twice
}

// before reports whether the event comes before a tool runs. No event counts as one, and so does
// each that is not known to come after it.
func (c *hookCall) before() bool {
	event := strings.ToLower(c.event)
	return !strings.HasPrefix(event, "post") && !strings.HasPrefix(event, "after")
}

// judge returns the strictest verdict on the readings of a call.
func (a *agent) judge(env *prog.Env, o options, in hookCall, calls []call) (*Verdict, error) {
	root := cmp.Or(os.Getenv(a.Project), o.cwd)
	if filepath.IsAbs(in.cwd) {
		o.cwd = in.cwd
	}
	project := o.cwd
	if dir := in.input.Get(a.Dir).Str; a.Dir != "" && dir != "" {
		if o.cwd = dir; !filepath.IsAbs(dir) {
			o.cwd = filepath.Join(project, dir)
		}
	}
	// An ask stays open in the verdict, and becomes the agent's own question.
	o.ask, o.unconfined, o.hooked = true, true, true
	o.try, o.undo = false, o.try // only what is confined is in a try
	g, err := newGate(env, o, project)
	if err != nil {
		return nil, err
	}
	var v Verdict
	for i := range calls {
		one, failed := g.decide(&calls[i], nil, nil)
		if a.Confines && !o.noConfine && failed == nil && len(calls) == 1 &&
			slices.Contains(a.Shells, in.tool) && in.input.Get("command").Type == gjson.String {
			one, failed = g.confined(calls[i], one, o.confine && inside(o.cwd, root))
		}
		// Only one command can be put in place of a call.
		if one.Command != "" && len(calls) > 1 {
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

// hookedCall returns the call for a command. Some agents give the command as a list of
// words.
func hookedCall(command gjson.Result) call {
	text, bad := command.Str, loneSurrogate(command)
	if command.IsArray() {
		var words []string
		for _, w := range command.Array() {
			if bad = cmp.Or(bad, loneSurrogate(w)); w.Type != gjson.String {
				bad = "a word of the command is not a string" // an agent may take a list for more words
			}
			words = append(words, w.String())
		}
		var err error
		if text, err = inWords(words); err != nil {
			bad = err.Error()
		}
	} else if command.Type != gjson.String {
		bad = "the call has no command that is a string"
	}
	c := shellCall("hook", text)
	c.bad = cmp.Or(bad, c.bad)
	return c
}
