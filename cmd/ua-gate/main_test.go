package main

import (
	"os"
	"testing"

	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/prog"
	"ua/internal/test/scripttest"
)

func TestScripts(t *testing.T) { scripttest.Run(t, nil) }

// The modes of the tests.
const unattended, attended = policy.Unattended, policy.Attended

// policyOf is the policy of the texts.
func policyOf(t testing.TB, texts ...string) *policy.Policy {
	t.Helper()
	p := policy.New()
	for _, text := range texts {
		if err := p.Add("policy.toml", text); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// testGate is a gate with the policies' texts: the first is the user's.
func testGate(t testing.TB, m policy.Mode, policies ...string) *gate {
	t.Helper()
	p := policyOf(t, policies...)
	env := &prog.Env{Name: "ua-gate", Stdout: os.Stdout, Stderr: os.Stderr}
	g := gateWith(env, options{shell: "bash", cwd: "/home/user/project", ask: m == policy.Attended,
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
