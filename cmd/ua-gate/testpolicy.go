package main

import (
	"maps"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/policy"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// testPolicy runs the examples of the rules and rows of a policy file, or of all that
// hold here.
func testPolicy(env *prog.Env, o options, operands []string) error {
	if len(operands) > 1 {
		return prog.Errorf(prog.Trouble, "test: give at most one policy file")
	}
	g, err := newGate(env, o)
	if len(operands) == 1 {
		p, err2 := policy.Of(operands[0])
		if err = err2; err == nil {
			g = gateWith(env, o, p)
		}
	}
	if err != nil {
		return err
	}
	ran, failed := 0, 0
	fail := func(format string, a ...any) {
		failed++
		env.Printf(format+"\n", a...)
	}
	for i := range g.policy.Rules {
		ran += g.testRule(&g.policy.Rules[i], fail)
	}
	for i := range g.tables {
		if t := g.tables[i].Overlay; t != nil {
			ran += testRows(t, &g.tables[i], fail)
		}
	}
	testHooks(g.policy, fail)
	env.Printf("%s, %d failed\n", style.Plural(int64(ran), "example"), failed)
	if failed > 0 {
		return prog.Exit(prog.No)
	}
	return nil
}

// testHooks names the hooks whose program cannot be started. Each of them would deny all
// commands, or withhold all output, from the first one on.
func testHooks(p *policy.Policy, fail func(string, ...any)) {
	for _, name := range slices.Sorted(maps.Keys(p.Hooks)) {
		for _, h := range p.Hooks[name] {
			if _, err := config.LookOutside(h.Command[0]); err != nil {
				fail("%s: hook %q: %v", h.Where, h.Command[0], prog.Cause(err))
			}
		}
	}
}

// testRule runs the examples of a rule and returns how many there are.
func (g *gate) testRule(r *policy.Rule, fail func(string, ...any)) int {
	for i, command := range slices.Concat(r.Match, r.Not) {
		says, want := "does not match", i < len(r.Match)
		if !want {
			says = "matches"
		}
		v, matched := g.report(command), false
		for part := range v.Parts.All() {
			matched = matched || r.Matches(part)
		}
		if matched != want {
			fail("%s: the %v %s its example %q", r.Where, r, says, command)
		}
	}
	return len(r.Match) + len(r.Not)
}

// testRows runs the examples of a table's rows and returns how many there are.
func testRows(t *table.Table, about *machine.Options, fail func(string, ...any)) int {
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
