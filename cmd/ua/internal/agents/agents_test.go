package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ua/internal/common/verdict"
)

func TestParse(t *testing.T) {
	no := false
	for _, c := range []struct {
		name, text string
		want       Definition
		err, warns string
	}{
		{"all fields", "---\nname: a-1\ndescription: does it\nmodel: m\nprovider: p\ntools: [read, " +
			"bash]\nnot_tools: [bash]\ndelegate: false\npermissions: plan\nmode: " +
			"reflexion\nmax_iterations: 3\ntimeout: 90s\nbudget_tokens: 1000\nisolation: " +
			"worktree\n---\n\nBe brief.\n",
			Definition{Name: "a-1", Description: "does it", Model: "m", Provider: "p",
				Tools: []string{"read", "bash"}, NotTools: []string{"bash"}, Delegate: &no,
				Permissions: "plan", Mode: "reflexion", Isolation: "worktree", MaxIterations: 3,
				Timeout: 90 * time.Second, BudgetTokens: 1000, Body: "Be brief."}, "", ""},
		{"claude's", "---\r\nname: reviewer\r\ndescription: >\r\n  reviews\r\n  code\r\ntools: Read, " +
			"Grep, Bash(git diff:*), mcp__x\r\nmodel: sonnet\r\ncolor: red\r\npermissionMode: " +
			"acceptEdits\r\n---\r\nYou review.\r\n",
			Definition{Name: "reviewer", Description: "reviews code\n",
				Tools: []string{"read", "grep", "bash"}, Model: "sonnet", Permissions: "accept_edits",
				Body: "You review."}, "", `6 unknown tool "mcp__x"`},
		{"unknown field", "---\nname: a\ndescription: b\ntemprature: 1\n---\n",
			Definition{Name: "a", Description: "b"}, "", `4 unknown field "temprature"`},
		{"no body and no newline", "---\nname: a\ndescription: b\n---",
			Definition{Name: "a", Description: "b"}, "", ""},
		{"no front matter", "name: a\n", Definition{},
			"line 1: no front matter: want a line of ---", ""},
		{"no end", "---\nname: a\n", Definition{},
			"line 1: the front matter has no end: want a second line of ---", ""},
		{"empty", "---\n---\n", Definition{}, "line 1: the front matter has no fields", ""},
		{"no name", "---\ndescription: b\n---\n", Definition{}, "line 1: no name", ""},
		{"no description", "---\nname: a\n---\n", Definition{}, "line 1: no description", ""},
		{"a path as its name", "---\nname: ../x\ndescription: b\n---\n", Definition{},
			`line 2: name: "../x": want lower-case letters, digits, - and _`, ""},
		{"a wrong word", "---\nname: a\ndescription: b\nmode: fast\n---\n", Definition{},
			`line 4: mode: "fast": want react, plan_and_solve, reflexion`, ""},
		{"a wrong time", "---\nname: a\ndescription: b\ntimeout: 90\n---\n", Definition{},
			`line 4: timeout: "90" is not a duration such as 90s or 10m`, ""},
		{"a wrong type", "---\nname: a\ndescription: b\nmax_iterations: many\n---\n", Definition{},
			`line 4: max_iterations: "many" has the wrong type`, ""},
		{"broken YAML", "---\nname: a\ndescription: [b\n---\n", Definition{},
			"line 2: did not find expected ',' or ']'", ""},
	} {
		var warns []string
		got, err := Parse([]byte(c.text), func(line int, what string) {
			warns = append(warns, fmt.Sprint(line, " ", what))
		})
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
			continue
		}
		if got.Description = strings.TrimRight(got.Description, "\n"); err != nil ||
			!reflect.DeepEqual(got, trimmed(c.want)) || strings.Join(warns, "; ") != c.warns {
			t.Errorf("%s: %+v, %v, %q", c.name, got, err, warns)
		}
	}
}

func trimmed(d Definition) Definition {
	d.Description = strings.TrimRight(d.Description, "\n")
	return d
}

func TestCeiling(t *testing.T) {
	for _, c := range []struct {
		d    Definition
		want verdict.Level
	}{
		{Definition{}, verdict.Network},
		{Definition{Permissions: "plan"}, verdict.ReadOnly},
		{Definition{Permissions: "default"}, verdict.Write},
		{Definition{Permissions: "accept_edits"}, verdict.Destructive},
		{Definition{Permissions: "trusted"}, verdict.Network},
		{Definition{Permissions: "bypass_permissions"}, verdict.Network},
		{Definition{Tools: []string{"read", "grep"}}, verdict.ReadOnly},
		{Definition{Tools: []string{"read", "edit"}}, verdict.Write},
		{Definition{Tools: []string{}}, verdict.ReadOnly},
		{Definition{Tools: []string{"bash"}, Permissions: "plan"}, verdict.ReadOnly},
		{Definition{NotTools: []string{"bash", "web_fetch"}}, verdict.Write},
		{Definition{NotTools: []string{"bash", "web_fetch", "edit", "write"}}, verdict.ReadOnly},
	} {
		if got := c.d.Ceiling(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.d, got, c.want)
		}
	}
}

// TestBuiltins holds what Parse would say of each built-in definition.
func TestBuiltins(t *testing.T) {
	for name, d := range builtins() {
		words := d.Mode == "" || slices.Contains(modes, d.Mode)
		for _, tool := range append(d.Tools, d.NotTools...) {
			words = words && slices.Contains(toolNames, tool)
		}
		if !words || d.Name != name || !isName(name) || d.Description == "" || d.Body == "" ||
			!slices.Contains(permissions, d.Permissions) || d.Source != "built-in" {
			t.Errorf("%+v", d)
		}
	}
}

// TestLoad has the later definition win, and a project's grant nothing.
func TestLoad(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	for path, text := range map[string]string{
		home + "/ua/agents/explore.md": "---\nname: explore\ndescription: the user's\nmodel: " +
			"mine/own\npermissions: plan\nmax_iterations: 5\n---\n",
		home + "/ua/agents/deploy.md": "---\nname: deploy\ndescription: the user's\npermissions: " +
			"bypass_permissions\n---\n",
		home + "/ua/agents/broken.md": "---\nname: broken\n---\n",
		home + "/ua/agents/notes.txt": "no definition",
		dir + "/.ua/agents/explore.md": "---\nname: explore\ndescription: the project's\nmodel: " +
			"exec:evil\npermissions: trusted\nmax_iterations: 50\n---\nLook at src first.\n",
		dir + "/.ua/agents/deploy.md": "---\nname: deploy\ndescription: the project's\npermissions: " +
			"default\n---\n",
		dir + "/.ua/agents/wide.md": "---\nname: wide\ndescription: new\npermissions: " +
			"bypass_permissions\nmodel: exec:evil\n---\n",
		dir + "/.claude/agents/helps.md": "---\nname: helps\ndescription: claude's\ntools: Read\n---\n",
	} {
		os.MkdirAll(filepath.Dir(path), 0o700)
		os.WriteFile(path, []byte(text), 0o600)
	}
	os.Symlink("/dev/zero", dir+"/.ua/agents/endless.md")
	os.Rename(home+"/ua/agents/deploy.md", home+"/deploy.md") // where the user keeps it
	os.Symlink(home+"/deploy.md", home+"/ua/agents/deploy.md")
	var warns []string
	c := Load(dir, func(w string) { warns = append(warns, w) })
	if got := fmt.Sprint(c.Names()); got != "[deploy desktop explore general helps plan wide]" {
		t.Errorf("%s", got)
	}
	if d := c["explore"]; d.Description != "the project's" || d.Model != "mine/own" ||
		d.Ceiling() != verdict.ReadOnly || d.MaxIterations != 5 || d.Body != "Look at src first." {
		t.Errorf("explore: %+v", d)
	}
	if d := c["deploy"]; d.Ceiling() != verdict.Write || d.Source != "project" {
		t.Errorf("deploy: %+v", d)
	}
	if d := c["wide"]; d.Permissions != "trusted" || d.Model != "" {
		t.Errorf("wide: %+v", d)
	}
	if len(warns) != 2 || !strings.Contains(strings.Join(warns, " "), "broken.md:1: no description") {
		t.Errorf("%q", warns)
	}
}

// TestNarrowed has a project's definition keep what is narrower than the one whose place
// it takes, and nothing that is wider.
func TestNarrowed(t *testing.T) {
	readers := []string{"read", "grep"}
	for _, c := range []struct {
		name     string
		old, new Definition
		level    verdict.Level
		plans    bool
	}{
		{"plan over no permissions", Definition{}, Definition{Permissions: "plan"},
			verdict.ReadOnly, true},
		{"default over no permissions", Definition{}, Definition{Permissions: "default"},
			verdict.Write, false},
		{"all over no permissions", Definition{}, Definition{Permissions: "bypass_permissions"},
			verdict.Network, false},
		{"tools over no permissions", Definition{}, Definition{Tools: readers},
			verdict.ReadOnly, false},
		{"no permissions over plan", Definition{Permissions: "plan"}, Definition{},
			verdict.ReadOnly, true},
		{"plan's files over a reader", Definition{Permissions: "plan", Tools: readers},
			Definition{Permissions: "plan"}, verdict.ReadOnly, false},
		{"plan's files over a reader without permissions", Definition{Tools: readers},
			Definition{Permissions: "plan"}, verdict.ReadOnly, false},
		{"plan's files over no write", Definition{Permissions: "plan",
			NotTools: []string{"write"}}, Definition{Tools: []string{"write"}}, verdict.ReadOnly,
			false},
		{"plan over write", Definition{Permissions: "default"}, Definition{Permissions: "plan"},
			verdict.ReadOnly, true},
	} {
		c.old.Name = "a"
		got := c.new.narrowed(c.old)
		if got.Ceiling() != c.level || got.Plans() != c.plans {
			t.Errorf("%s: %v, plans %v: %+v", c.name, got.Ceiling(), got.Plans(), got)
		}
	}
}

// TestJudge: a project's definition has no weaker judge than the one whose place it takes.
func TestJudge(t *testing.T) {
	for _, c := range [][3]string{{"", "", ""}, {"", "write", "write"},
		{"destructive", "", "destructive"},
		{"destructive", "network", "destructive"}, {"destructive", "write", "write"}} {
		got := Definition{Judge: c[1]}.narrowed(Definition{Name: "a", Judge: c[0]})
		if got.Judge != c[2] {
			t.Errorf("%q over %q: %q", c[1], c[0], got.Judge)
		}
	}
	if d := Load(t.TempDir(), func(string) {})["desktop"]; d.Judge != "destructive" {
		t.Errorf("desktop: %+v", d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: look\ndescription: looks\nmodel: cheap\ntools: [read, glob]\n" +
		"permissions: plan\ndelegate: false\nmax_iterations: 30\n---\n\nLook around.\n"))
	f.Add([]byte("---\nname: a\ndescription: b\ntools: Read, Bash(git *)\nmode: reflexion\n" +
		"isolation: worktree\ntimeout: 90s\nbudget_tokens: 9\n---\n"))
	f.Add([]byte("---\nname: &a a\ndescription: *a\ntools: {a: b}\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text, func(int, string) {})
		if err == nil && (d.Name == "" || d.Description == "" || strings.ContainsAny(d.Name, "/. ")) {
			t.Errorf("%q: %+v", text, d)
		}
		if d.Ceiling() > verdict.Network {
			t.Errorf("%q: %v", text, d.Ceiling())
		}
	})
}
