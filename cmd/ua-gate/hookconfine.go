package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/agenthooks"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/plainreaders"
	"ua/cmd/ua-gate/internal/policy"
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

// confined returns the verdict on a command that would be asked about for its level alone, in the
// sandbox if that is there. Below tier 3, where it holds too little, the sandbox refuses.
func (g *gate) confined(c call, v Verdict, all bool) (Verdict, error) {
	if v.Decision != verdict.Ask || v.By != "level" || !quotes() {
		return v, nil
	}
	there, err := g.confinement(prog.Sibling("ua-sandbox"))
	if err != nil {
		return v, err
	}
	return there.confined(c, v, all), nil
}

// quotes reports whether the agent's shell quotes words as bash does, and fish does not.
func quotes() bool {
	return strings.Contains(" . sh dash bash ksh zsh ", " "+filepath.Base(os.Getenv("SHELL"))+" ")
}

// temporary reports whether a command names what lies in a folder for temporary files, outside of
// its own folder: in the sandbox these folders are empty.
func (g *gate) temporary(command string) bool {
	if len(g.cwd) > 1 {
		command = strings.ReplaceAll(command, g.cwd, "")
	}
	return strings.Contains(command, "/tmp") || strings.Contains(command, "TMPDIR")
}

// confinement returns how the commands of the shell are confined by the program.
func (g *gate) confinement(sandbox string) (*confinement, error) {
	before := agenthooks.Word(sandbox) + " --quiet --strict"
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
		c.try, c.tried = agenthooks.Word(undo)+" -- ", gateWith(g.env, o, g.policy)
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
// it is allowed there. A cd in front of what only reads stays outside, where it lasts.
func (c *confinement) command(text string) (string, Verdict) {
	m := policy.Attended
	if c.gate.noAsk {
		m = policy.Unattended
	}
	v, undo, where := c.gate.byPolicy(&call{command: text}, m), "", "the sandbox"
	if c.try != "" && (v.Decision != verdict.Allow || v.Risk >= verdict.Destructive) {
		v, undo, where = c.tried.byPolicy(&call{command: text}, m), c.try, "a try, in the sandbox"
	}
	if v.Decision != verdict.Allow || v.Profile == verdict.ProfileNone ||
		ofMachine(&v) || lasts(&v) || c.gate.temporary(text) {
		return "", v
	}
	cd := ""
	if v.Profile == verdict.ProfileReadOnly {
		cd, text = plainreaders.Cut(text)
	}
	v.Reason = "runs in " + where + ": " + v.Reason
	before := cd + undo + strings.Replace(c.before, "PROFILE", string(v.Profile), 1)
	return before + prog.Quoted(text), v
}

// ofMachine reports whether a part of the command tells of the machine around the sandbox, which
// is not seen from inside.
func ofMachine(v *Verdict) bool {
	for part := range v.Parts.All() {
		if plainreaders.OfMachine(part.Name) {
			return true
		}
	}
	return false
}

// lasting are commands of which nothing would be left behind the sandbox.
const lasting = " alias cd declare exit export fg hash mktemp popd pushd read readonly set " +
	"setopt shopt trap typeset ulimit umask unset wait "

// lasts reports whether all that the command does is to last in the shell, or in /tmp.
func lasts(v *Verdict) bool {
	return !slices.ContainsFunc(v.Parts.Parts, func(p finding.Part) bool {
		return p.Name != "" && !strings.Contains(lasting, " "+p.Name+" ")
	})
}

// inside returns the verdict on what a command runs that was put into the sandbox in this way.
func (c *confinement) inside(command string) (v Verdict, is bool) {
	cd, behind := plainreaders.Cut(command)
	start, end, _ := strings.Cut(c.before, "PROFILE")
	rest, is := strings.CutPrefix(strings.TrimPrefix(behind, c.try), start)
	_, rest, found := strings.Cut(rest, end)
	if !is || !found || len(rest) < 2 {
		return v, false
	}
	again, v := c.command(cd + strings.ReplaceAll(rest[1:len(rest)-1], `'\''`, "'"))
	return v, again == command
}

// confined returns the verdict on a command that would be asked about for its level alone:
// allowed, in the sandbox, if a person would not be asked there, and if it only reads, or all may
// run there. What a rule, a hook or the judge asks about stays the person's.
func (c *confinement) confined(one call, v Verdict, all bool) Verdict {
	text := one.command
	if v.Command != "" {
		text = v.Command
	}
	// Codex asks once more about what the hook has put in the place of its command.
	held, again := c.inside(text)
	command := ""
	if !again {
		command, held = c.command(text)
	}
	if !again && command == "" || !all && held.Risk > verdict.ReadOnly {
		return v
	}
	held.Command = command
	return held
}
