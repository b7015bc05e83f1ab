package agentloop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// newEnv returns the environment of a command line, with nobody to warn.
func newEnv(t *testing.T, args ...string) *prog.Env {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return &prog.Env{Name: "ua", Args: args, Stdin: null, Stdout: null, Stderr: null}
}

// Options stand before the task, after it and among its words; "--" ends them.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want func(o *options) bool
	}{
		{"task", func(o *options) bool { return slices.Equal(o.words, []string{"task"}) }},
		{"-q a -m x b", func(o *options) bool {
			return o.quiet && o.Model == "x" && slices.Equal(o.words, []string{"a", "b"})
		}},
		{"a -- -q b", func(o *options) bool {
			return !o.quiet && slices.Equal(o.words, []string{"a", "-q", "b"})
		}},
		{"a -", func(o *options) bool { return o.stdin && slices.Equal(o.words, []string{"a"}) }},
		{"resume r more", func(o *options) bool {
			return o.resume && !o.fork && slices.Equal(o.words, []string{"r", "more"})
		}},
		{"-q fork --at 2 r", func(o *options) bool {
			return o.resume && o.fork && o.at == 2 && slices.Equal(o.words, []string{"r"})
		}},
		{"a resume", func(o *options) bool {
			return !o.resume && slices.Equal(o.words, []string{"a", "resume"})
		}},
		{"-c more", func(o *options) bool {
			return o.resume && slices.Equal(o.words, []string{"last", "more"})
		}},
		{"--try x", func(o *options) bool { return o.Try == config.TryAlways }},
		{"--try --atomic x", func(o *options) bool { return o.Try == config.TryAtomic }},
		{"-a f --attach g x", func(o *options) bool {
			return slices.Equal(o.attach,
				[]string{"f", "g"})
		}},
		{"--max-turns 3 --max-commands 4 --budget-tokens 5 --budget-usd 0.5 x", func(o *options) bool {
			return o.Turns == 3 && o.Commands == 4 && o.Tokens == 5 && o.USD == 0.5
		}},
		{"", func(o *options) bool { return len(o.words) == 0 }},
	} {
		o, err := parse(newEnv(t, strings.Fields(c.line)...), "", nil)
		if err != nil || !c.want(o) {
			t.Errorf("%q: %+v, %v", c.line, o, err)
		}
	}
	for _, line := range []string{"--no-such x", "--effort huge x", "--max-turns 0 x", "--at x y",
		"--budget-usd -1 x", "--isolate tree x", "--context-tokens 9 x", "--mem lots x", "--pids 0 x"} {
		if _, err := parse(newEnv(t, strings.Fields(line)...), "", nil); err == nil {
			t.Errorf("%q is understood", line)
		}
	}
}

// theirs returns settings as config.Complete leaves them.
func theirs(t *testing.T) *settings.Settings {
	t.Helper()
	s := &settings.Settings{}
	if err := s.UA.Complete("user"); err != nil {
		t.Fatal(err)
	}
	return s
}

// The command line goes before the agent's definition, that before the settings.
func TestConfigure(t *testing.T) {
	t.Chdir(t.TempDir())
	s := theirs(t)
	s.UA.MaxTurns, s.UA.BudgetTokens, s.UA.Think = 10, 1000, "other"
	s.UA.TimeLimit = config.Duration(time.Hour)
	s.Sandbox.Write, s.Sandbox.Profile = []string{"/settings"}, "workspace"
	o := &options{terms: terms{Think: "mine", Write: []string{"/line"}}}
	o.Limits.Turns = 3
	o.def = agents.Definition{MaxIterations: 5, BudgetTokens: 50, Timeout: time.Minute}
	if err := o.configure(newEnv(t), s); err != nil {
		t.Fatal(err)
	}
	if o.Think != "mine" || o.Turns != 3 || o.Tokens != 50 ||
		time.Duration(o.TimeLimit) != time.Minute ||
		o.Profile != "workspace" || o.sandboxProfile != "workspace" ||
		!slices.Equal(o.Write, []string{"/line", "/settings"}) {
		t.Errorf("%+v", o)
	}
	if !slices.Equal(o.NetAllow, settings.DefaultHosts()) {
		t.Errorf("hosts: %q", o.NetAllow)
	}
	o = &options{terms: terms{NetAllow: []string{"h"}}}
	if err := o.configure(newEnv(t), theirs(t)); err != nil ||
		!slices.Equal(o.NetAllow, []string{"h"}) ||
		o.Profile != "network" || o.Limits.Turns != 100 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestConfigureWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, o := range map[string]*options{
		`profile "none"`:                   {terms: terms{Profile: "none"}},
		`profile "wide"`:                   {terms: terms{Profile: "wide"}},
		`isolation "tree"`:                 {terms: terms{Isolation: "tree"}},
		`--context "key": want KEY=VALUE`:  {context: []string{"key"}},
		`--context "=val": want KEY=VALUE`: {context: []string{"a=b", "=val"}},
	} {
		if err := o.configure(newEnv(t), theirs(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestCeiling(t *testing.T) {
	for p, want := range map[verdict.Profile]verdict.Level{
		verdict.ProfileReadOnly: verdict.ReadOnly, verdict.ProfileWorkspace: verdict.Destructive,
		verdict.ProfileNetwork: verdict.Network,
	} {
		if got := ceilingOf(p); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

// What a definition allows only narrows.
func TestConfine(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		profile     string
		permissions string
		want        string
		ceiling     verdict.Level
	}{
		{"network", "", "network", verdict.Network},
		{"network", "default", "workspace", verdict.Write},
		{"network", "accept_edits", "workspace", verdict.Destructive},
		{"read-only", "trusted", "read-only", verdict.ReadOnly},
	} {
		o := &options{terms: terms{Profile: c.profile}}
		if c.permissions != "" {
			o.def = agents.Definition{Name: "a", Permissions: c.permissions}
		}
		if err := o.confine(); err != nil || o.Profile != c.want || o.sandboxProfile != c.want ||
			o.ceiling != c.ceiling {
			t.Errorf("%+v: %s in %s, %s, %v", c, o.Profile, o.sandboxProfile, o.ceiling, err)
		}
	}
}

func TestModelOf(t *testing.T) {
	aliases := map[string]string{"cheap": "p/small"}
	for _, c := range []struct {
		d    agents.Definition
		want string
	}{
		{agents.Definition{Model: "m", Provider: "p"}, "p/m"},
		{agents.Definition{Model: "p/m"}, "p/m"},
		{agents.Definition{Model: "replay:f"}, "replay:f"},
		{agents.Definition{Model: "cheap"}, "cheap"},
		{agents.Definition{Model: "dear"}, ""},
	} {
		if got := modelOf(c.d, aliases); got != c.want {
			t.Errorf("%+v: %q", c.d, got)
		}
	}
}

// An agent that plans writes below .ua/plans, in a folder and through no link.
func TestPlanning(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	o := &options{terms: terms{Profile: "network"},
		def: agents.Definition{Name: "a", Permissions: "plan"}}
	if err := o.confine(); err != nil || o.sandboxProfile != "read-only" ||
		o.Profile != "workspace" || len(o.Write) != 1 ||
		!strings.HasSuffix(o.Write[0], "/.ua/plans") {
		t.Errorf("%+v, %v", o, err)
	}
	if err := os.RemoveAll(".ua"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), ".ua"); err != nil {
		t.Fatal(err)
	}
	if err := o.confine(); err == nil || !strings.Contains(err.Error(), "the folder of plans") {
		t.Errorf("through a link: %v", err)
	}
}

// A wish is clamped to what a subagent may have; none is the usual.
func TestClamp(t *testing.T) {
	env := newEnv(t)
	for _, c := range []struct{ wish, want int64 }{{0, 5}, {3, 3}, {10, 10}, {11, 10}} {
		if got := clampLimit(env, "budget-tokens", c.wish, 5, 10); got != c.want {
			t.Errorf("%d: %d, want %d", c.wish, got, c.want)
		}
	}
}

// Text that reads the files of options does so before the folder changes.
func TestReadSystem(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"prompt": " be brief\n", "empty": "\n", "data": "\xff",
		"s.json": "{}"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := &options{terms: terms{Schema: "s.json"}, system: "prompt", out: "o"}
	if err := o.readSystem(); err != nil || o.system != "be brief" ||
		o.Schema != filepath.Join(dir, "s.json") || o.out != filepath.Join(dir, "o") {
		t.Errorf("%+v, %v", o, err)
	}
	for name, want := range map[string]string{"empty": "the system prompt is empty",
		"data": "not UTF-8 text", "none": "no such file"} {
		if err := (&options{system: name}).readSystem(); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
