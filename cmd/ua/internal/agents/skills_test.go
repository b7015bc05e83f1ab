package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ua/internal/common/verdict"
)

// home makes an empty home and a project in it, and returns how to write files there.
func skillHome(t *testing.T) (project string, write func(path, text string)) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	write = func(path, text string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("p/.git/HEAD", "")
	write("p/sub/x", "")
	return filepath.Join(home, "p/sub"), write
}

// said is a skill's file.
func said(name, description string, more ...string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n" +
		strings.Join(more, "") + "---\nThe body of " + name + ".\n"
}

func TestSkills(t *testing.T) {
	project, write := skillHome(t)
	home := filepath.Dir(filepath.Dir(project))
	write(".config/ua/skills/zeta/SKILL.md", said("zeta", "last of mine"))
	write(".config/ua/skills/notes.txt", "no skill")
	write(".agents/skills/both/SKILL.md", said("both", "the person's"))
	write(".agents/skills/hidden/SKILL.md", said("hidden", "x", "disable-model-invocation: true\n"))
	write("p/.agents/skills/both/SKILL.md", said("both", "the project's"))
	write("p/.claude/skills/above/SKILL.md", said("above", "from the root"))
	write("p/sub/.agents/skills/near/SKILL.md", said("near", "\"two\\nlines\\e[31m\\u202e and\"",
		"allowed-tools: Read Bash(git add:*), Grep\nlicense: MIT\n"))
	write("p/.agents/skills/near/SKILL.md", said("near", "further away"))
	write("p/.agents/skills/other/SKILL.md", said("another", "x", "colour: red\n"))
	write("p/.agents/skills/silent/SKILL.md", "---\nname: silent\n---\n")
	write("p/.agents/skills/bare/SKILL.md", "no front matter")
	write("p/.agents/skills/unnamed/SKILL.md", "---\ndescription: the folder's name\n---\n")
	write("p/.agents/skills/Bad Name/SKILL.md", "---\nname: \"../x\"\ndescription: y\n---\n")
	write("p/.agents/skills/empty/README", "")
	write("p/.agents/skills/long/SKILL.md", said("long", strings.Repeat("ü", 1025)))
	write("secret/away/SKILL.md", said("away", "outside of the project"))
	os.Symlink("../../../secret/away", filepath.Join(home, "p/.agents/skills/away"))
	os.Symlink("../../.claude/skills/above", filepath.Join(home, "p/.agents/skills/within"))
	os.Symlink("../../secret/away", filepath.Join(home, ".agents/skills/linked"))
	var told []string
	list := Skills(project, func(w string) { told = append(told, w) })
	var got []string
	for _, s := range list {
		got = append(got, s.Source+" "+s.Name)
	}
	want := "user away, user both, user hidden, user zeta, project above, project another, " +
		"project long, project near, project unnamed"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s", strings.Join(got, ", "))
	}
	all := strings.Join(told, "\n")
	for _, word := range []string{"p/.agents/skills/both/SKILL.md: left out: ", "further",
		"other/SKILL.md:1: the name another is not the folder's, other",
		`other/SKILL.md:4: unknown field "colour"`, "silent/SKILL.md:1: no description",
		"bare/SKILL.md:1: no front matter", "Bad Name/SKILL.md:2: name: ",
		"empty/SKILL.md: no such file", "long/SKILL.md:3: the description has more than 1024",
		"away/SKILL.md: left out: a link leads out of ", "within/SKILL.md"} {
		if word != "further" && !strings.Contains(all, word) {
			t.Errorf("not told of %q:\n%s", word, all)
		}
	}
	text := SkillsPrompt(list)
	for _, word := range []string{
		"\n- both: the person's (" + home + "/.agents/skills/both/SKILL.md)",
		"\n- zeta: last of mine (", "\nThose below are of this project: ",
		"\n- near: two lines [31m and ("} {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in\n%s", word, text)
		}
	}
	if strings.Contains(text, "hidden") ||
		strings.Index(text, "zeta") > strings.Index(text, "Those") {
		t.Errorf("%s", text)
	}
	if SkillsPrompt(nil) != "" {
		t.Error("a plain run pays")
	}
}

func TestSkillsBounded(t *testing.T) {
	project, write := skillHome(t)
	for i := range 60 {
		write(fmt.Sprintf("p/.agents/skills/s%02d/SKILL.md", i),
			said(fmt.Sprintf("s%02d", i), strings.Repeat("w ", 500)))
	}
	write(".agents/skills/zz/SKILL.md", said("zz", "of the person, and never pushed out"))
	text := SkillsPrompt(Skills(project, func(w string) { t.Error(w) }))
	shown := strings.Count(text, "\n- ")
	if len(text) > listedMax+1024 || shown < 5 || !strings.Contains(text, "- zz: ") ||
		!strings.Contains(text, fmt.Sprintf("\n[%d more are left out; ", 61-shown)) {
		t.Errorf("%d bytes, %d shown: %s", len(text), shown, text[len(text)-100:])
	}
}

// Skills narrow an agent that works by them, whoever wrote them, and widen none.
func TestSkillsNarrow(t *testing.T) {
	project, write := skillHome(t)
	write(".config/ua/skills/reads/SKILL.md", said("reads", "x", "allowed-tools: Read, Grep\n"))
	write(".config/ua/skills/all/SKILL.md", said("all", "x", "allowed-tools: [Bash, Write]\n"))
	write("p/sub/.agents/skills/ours/SKILL.md", said("ours", "x", "allowed-tools: Edit\n"))
	write("p/sub/.agents/skills/none/SKILL.md", said("none", "x", "allowed-tools: \"\"\n"))
	agent := func(skills, more string) string {
		return "---\nname: a\ndescription: d\nskills: " + skills + "\n" + more + "---\nbody\n"
	}
	for _, c := range []struct {
		user, project string
		want          verdict.Level
		plans         bool
	}{
		{agent("all", ""), "", verdict.Network, false},
		{agent("[reads]", ""), "", verdict.ReadOnly, false},
		{agent("all, reads", ""), "", verdict.ReadOnly, false},
		{agent("all", "tools: [read]\n"), "", verdict.ReadOnly, false},
		{agent("ours", ""), "", verdict.Write, false},
		{agent("none", ""), "", verdict.ReadOnly, false},
		{agent("all", "permissions: default\n"), "", verdict.Write, false},
		{agent("all", "permissions: plan\n"), "", verdict.ReadOnly, true},
		{agent("reads", "permissions: plan\n"), "", verdict.ReadOnly, false},
		{agent("gone", ""), "", verdict.Network, false},
		// A project's definition keeps what narrows the one that it replaces.
		{agent("reads", ""), agent("all", "tools: [bash]\n"), verdict.ReadOnly, false},
		{agent("reads", ""), agent("[]", ""), verdict.ReadOnly, false},
	} {
		write(".config/ua/agents/a.md", c.user)
		os.Remove(filepath.Join(project, ".ua/agents/a.md"))
		if c.project != "" {
			write("p/sub/.ua/agents/a.md", c.project)
		}
		d := Load(project, func(w string) { t.Error(w) })["a"]
		if d.Ceiling() != c.want || d.Plans() != c.plans {
			t.Errorf("%s%s: %v, plans %v", c.user, c.project, d.Ceiling(), d.Plans())
		}
		if text := d.WithPrompt(); strings.Contains(text, "The skill ours") !=
			strings.Contains(c.user, "ours") || strings.Contains(text, "reads, ") &&
			strings.Contains(text, "of this project: ") || len(d.Missing()) > 0 !=
			strings.Contains(c.user, "gone") {
			t.Errorf("%q, missing %q", text, d.Missing())
		}
	}
	d := Definition{With: []Definition{{Name: "n", Body: strings.Repeat("ü", bodyMax)}}}
	if text := d.WithPrompt(); !utf8.ValidString(text) || len(text) > bodyMax+100 ||
		!strings.Contains(text, "[16384 bytes more stand in the file]") {
		t.Errorf("%d bytes: %s", len(text), text[len(text)-60:])
	}
}

func FuzzSkill(f *testing.F) {
	f.Add([]byte(said("x", "y", "allowed-tools: Bash(a b) Read\n")))
	f.Add([]byte("---\ndescription: {a: b}\nallowed-tools: [[x]]\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := parseSkill(text, "x", func(int, string) {})
		if err != nil {
			return
		}
		if !isName(d.Name) || d.Description == "" || d.Permissions != "" || d.Model != "" ||
			d.Isolation != "" || d.NotTools != nil {
			t.Errorf("%+v", d)
		}
		if line := SkillsPrompt([]Definition{d}); strings.Count(line, "\n") > 1+1 ||
			!utf8.ValidString(line) {
			t.Errorf("%q", line)
		}
	})
}
