package main

import (
	"os"
	"testing"

	"ua/internal/common/prog"
	"ua/internal/test/scripttest"
)

func TestScripts(t *testing.T) { scripttest.Run(t, nil) }

// testGate is a gate with the policies' texts: the first is the user's.
func testGate(t testing.TB, m mode, policies ...string) *gate {
	t.Helper()
	p := &policy{levels: defaults()}
	for _, text := range policies {
		if err := p.add("policy.toml", text); err != nil {
			t.Fatal(err)
		}
	}
	for i := range p.levels {
		p.levels[i].smooth()
	}
	env := &prog.Env{Name: "ua-gate", Stdout: os.Stdout, Stderr: os.Stderr}
	g := gateWith(env, options{shell: "bash", cwd: "/home/user/project", ask: m == attended,
		hosts: []string{"packages", "git"}}, p)
	for i := range g.tables {
		g.tables[i].Home = "/home/user"
	}
	return g
}

// decided is the gate's verdict on a command.
func decided(t testing.TB, g *gate, command string, up *Verdict) Verdict {
	t.Helper()
	c := shellCall("c1", command)
	v, err := g.decide(&c, up, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return v
}
