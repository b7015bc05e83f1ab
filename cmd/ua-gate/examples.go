package main

import (
	"maps"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// testPolicy runs the examples of the rules and rows of a policy file, or of all that
// hold here.
func testPolicy(env *prog.Env, o options, operands []string) error {
	if len(operands) > 1 {
		return prog.Errorf(prog.Trouble, "test: give at most one policy file")
	}
	g, err := newGate(env, o)
	if len(operands) == 1 {
		g, err = gateOf(env, o, operands[0])
	}
	if err != nil {
		return err
	}
	ran, failed := 0, 0
	fail := func(format string, a ...any) {
		failed++
		env.Printf(format+"\n", a...)
	}
	for i := range g.policy.rules {
		ran += g.testRule(&g.policy.rules[i], fail)
	}
	for i := range g.tables {
		if t := g.tables[i].Overlay; t != nil {
			ran += testRows(t, &g.tables[i], fail)
		}
	}
	g.policy.testHooks(fail)
	env.Printf("%s, %d failed\n", style.Plural(int64(ran), "example"), failed)
	if failed > 0 {
		return prog.Exit(prog.No)
	}
	return nil
}

// gateOf returns a gate with no policy but that of the file.
func gateOf(env *prog.Env, o options, path string) (*gate, error) {
	p := &policy{levels: defaults()}
	if err := p.addFile(path); err != nil {
		return nil, err
	}
	return gateWith(env, o, p), nil
}

// testHooks names the hooks whose program cannot be started. Each of them would deny all
// commands, or withhold all output, from the first one on.
func (p *policy) testHooks(fail func(string, ...any)) {
	for _, name := range slices.Sorted(maps.Keys(p.hooks)) {
		for _, h := range p.hooks[name] {
			_, err := config.LookOutside(h.argv[0])
			switch {
			case err == nil:
			case strings.Contains(h.argv[0], " "):
				fail("%s: hook %q: no such program; arguments are further members of the list", h.where,
					h.argv[0])
			default:
				fail("%s: hook %q: %v", h.where, h.argv[0], bare(err))
			}
		}
	}
}

// testRule runs the examples of a rule and returns how many there are.
func (g *gate) testRule(r *rule, fail func(string, ...any)) int {
	for _, list := range []struct {
		commands []string
		want     bool
		says     string
	}{{r.match, true, "does not match"}, {r.not, false, "matches"}} {
		for _, command := range list.commands {
			if g.ruleMatches(r, command) != list.want {
				fail("%s: the %s rule %q %s its example %q", r.where, r.decision, r.patternText(),
					list.says, command)
			}
		}
	}
	return len(r.match) + len(r.not)
}

// ruleMatches reports whether a rule matches a part of the command. Only an allow rule
// needs all words to be known.
func (g *gate) ruleMatches(r *rule, command string) bool {
	v := g.report(command)
	for part := range v.Parts.All() {
		if r.matches(part, r.decision != verdict.Allow) {
			return true
		}
	}
	return false
}

// patternText returns the patterns and rows of a rule, for a message.
func (r *rule) patternText() string {
	var list []string
	for _, p := range r.patterns {
		list = append(list, p.String())
	}
	list = append(list, r.rows...)
	return strings.Join(list, " | ")
}

// testRows runs the examples of a table's rows and returns how many there are.
func testRows(t *classify.Table, about *classify.Options, fail func(string, ...any)) int {
	examples := t.Examples()
	for _, e := range examples {
		r := classify.Classify(e.Command, about)
		unwanted, not := strings.CutPrefix(e.Want, "not ")
		if not == (r.Level.String() == unwanted) {
			fail("line %d: the row %q gives %q the level %s, its example says %s", e.Line, e.Row,
				e.Command, r.Level, e.Want)
		}
	}
	return len(examples)
}
