package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A confinement puts another agent's commands into our sandbox, so that they need no question.
type confinement struct {
	before string // of a command's text, with PROFILE in it
	gate   *gate  // which judges what runs there
	try    string // what comes before that where a try is to keep what is lost; "" for nothing
	tried  *gate  // which judges what runs in a try
}

// confinement returns how the commands of the shell are confined. Below tier 3 the sandbox
// refuses them, because what it does not hold has to be asked about.
func (g *gate) confinement() (*confinement, error) {
	sandbox := prog.Sibling("ua-sandbox")
	if sandbox == "" {
		return nil, prog.Errorf(prog.Trouble, "--confine: there is no ua-sandbox beside ua-gate")
	}
	before := shellWord(sandbox) + " --quiet --strict"
	if os.Geteuid() == 0 {
		before += " --root-ok"
	}
	o := g.options
	o.unconfined, o.hooked = false, false
	c := &confinement{before: before + " --profile PROFILE -- " + g.shell + " -c ",
		gate: gateWith(g.env, o, g.policy)}
	if g.undo {
		undo := prog.Sibling("ua-try")
		if undo == "" {
			return nil, prog.Errorf(prog.Trouble, "--try: there is no ua-try beside ua-gate")
		}
		o.try = true
		c.try, c.tried = shellWord(undo)+" -- ", gateWith(g.env, o, g.policy)
	}
	return c, nil
}

// inside reports whether a folder is the project's or below it. The model chooses where a call
// runs, and what it runs may write there.
func inside(dir, root string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	root, err2 := filepath.EvalSymlinks(root)
	rel, err3 := filepath.Rel(root, dir)
	return errors.Join(err, err2, err3) == nil && filepath.IsLocal(rel)
}

// command returns what runs the text confined, and the verdict on it. It returns "" if not all of
// it is allowed there.
func (c *confinement) command(text string) (string, Verdict) {
	m := attended
	if c.gate.noAsk {
		m = unattended
	}
	v, undo, where := c.gate.byPolicy(&call{command: text}, m), "", "the sandbox"
	if c.try != "" && (v.Decision != verdict.Allow || v.Risk >= verdict.Destructive) {
		v, undo, where = c.tried.byPolicy(&call{command: text}, m), c.try, "a try, in the sandbox"
	}
	if v.Decision != verdict.Allow || v.Profile == verdict.ProfileNone {
		return "", v
	}
	v.Reason = "runs in " + where + ": " + v.Reason
	before := undo + strings.Replace(c.before, "PROFILE", string(v.Profile), 1)
	return before + "'" + strings.ReplaceAll(text, "'", `'\''`) + "'", v
}

// inside returns the verdict on what a command runs that was put into the sandbox in this way.
func (c *confinement) inside(command string) (v Verdict, is bool) {
	start, end, _ := strings.Cut(c.before, "PROFILE")
	rest, is := strings.CutPrefix(strings.TrimPrefix(command, c.try), start)
	_, rest, found := strings.Cut(rest, end)
	if !is || !found || len(rest) < 2 {
		return v, false
	}
	again, v := c.command(strings.ReplaceAll(rest[1:len(rest)-1], `'\''`, "'"))
	return v, again == command
}

// confined returns the verdict on a call of the agent's own shell that would be asked about for
// its level alone: allowed, in the sandbox, if a person would not be asked there. What a rule, a
// hook or the judge asks about stays the person's.
func (a *agent) confined(g *gate, in hookCall, c call, v Verdict) (Verdict, error) {
	if v.Decision != verdict.Ask || v.By != "level" ||
		in.input.Get("command").Type != gjson.String {
		return v, nil
	}
	there, err := g.confinement()
	if err != nil {
		return v, err
	}
	text := c.command
	if v.Command != "" {
		text = v.Command
	}
	// Codex asks once more about what the hook has put in the place of its command.
	if held, is := there.inside(text); is {
		return held, nil
	}
	if command, held := there.command(text); command != "" {
		held.Command = command
		return held, nil
	}
	return v, nil
}
