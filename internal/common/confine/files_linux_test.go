package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// grown makes a tree below a folder without links on its way: a slash behind a name is a
// folder, an arrow a symbolic link.
func grown(t *testing.T, names ...string) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name, to, link := strings.Cut(name, " -> ")
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case link:
			os.Symlink(to, path)
		case strings.HasSuffix(name, "/"):
			os.MkdirAll(path, 0o755)
		default:
			os.WriteFile(path, nil, 0o644)
		}
	}
	return dir
}

// below returns the paths of rules, relative to a folder and sorted.
func below(dir string, rules []Rule) string {
	var list []string
	for _, r := range rules {
		if rel, err := filepath.Rel(dir, r.Path); err == nil && !strings.HasPrefix(rel, "..") {
			list = append(list, rel)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func in(dir string, names string) (paths []string) {
	for _, name := range strings.Fields(names) {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// TestAllBut: Landlock takes no right away, so what lies beside the exceptions is named
// one by one, and nothing that leads to them.
func TestAllBut(t *testing.T) {
	dir := grown(t, "a", "d/e/f", "d/e/g/", "d/h", "l -> d/e", "k -> a", "n/")
	for except, want := range map[string]string{
		"": ".", "none": "a d n", "a": "d n", "d": "a n", "d/e": "a d/h n", "d/e/f": "a d/e/g d/h n",
		"d/e d/h a": "n", "d/e/f d/e/g d/h": "a n", "d/none": "a d/e d/h n", ".": "",
	} {
		if got := below(dir, but(in(dir, except), dir, Rule{Rights: Read})); got != want {
			t.Errorf("but %q: %q, want %q", except, got, want)
		}
	}
}

// TestRules holds what a profile lets be written, and that no rule reaches what is hidden.
func TestRules(t *testing.T) {
	dir := grown(t, "work/.git/config", "work/src/", "tmp/",
		"home/.ssh/id", "home/notes", "home/.ssh/shown/f")
	hidden, frozen := in(dir, "home/.ssh"), in(dir, "work/.git")
	for name, c := range map[string]struct {
		files Files
		write string // what is written below dir
		proc  bool
	}{
		"a workspace": {Files{Write: in(dir, "work"), Frozen: frozen, Tmp: in(dir, "tmp"),
			Hidden: hidden},
			"tmp work/src", false},
		"with mounts": {Files{Write: in(dir, "work"), Frozen: frozen, Tmp: in(dir, "tmp"), View: true,
			Hidden: hidden},
			"tmp work", true},
		"read-only": {Files{ReadOnly: true, Tmp: in(dir, "tmp"), View: true, Hidden: hidden}, "tmp",
			false},
		"no tmp": {Files{ReadOnly: true, Tmp: []string{""}, Hidden: hidden}, "", false},
	} {
		rules := c.files.Rules()
		var written []Rule
		proc := false
		for _, r := range rules {
			if r.Rights&(Write|Build) != 0 {
				written = append(written, r)
				proc = proc || r.Path == "/proc"
			}
			for _, h := range c.files.Hidden {
				if Under(h, r.Path) && r.Rights&Read&^Look != 0 {
					t.Errorf("%s: %s can be read by the rule for %s", name, h, r.Path)
				}
			}
			if r.Rights&(Write|Build) != 0 && Under(dir, r.Path) {
				t.Errorf("%s: all below %s can be written", name, r.Path)
			}
		}
		if got := below(dir, written); got != c.write || proc != c.proc {
			t.Errorf("%s: written %q, /proc %v", name, got, proc)
		}
	}
	shown := Files{Hidden: hidden, Shown: in(dir, "home/.ssh/shown")}.Rules()
	if got := below(dir+"/home/.ssh", shown); got != "shown" {
		t.Errorf("shown in a hidden folder: %q", got)
	}
	all := Files{All: true, Hidden: hidden}.Rules()
	if !slices.ContainsFunc(all, func(r Rule) bool {
		return r.Path == "/" && r.Rights&Write != 0 && r.Rights&Read == 0
	}) {
		t.Errorf("all: %+v", all)
	}
}

// TestGrants: what a policy grants by name crosses to the programs inside, without paths
// that could be two, and as long as they lead where they led.
func TestGrants(t *testing.T) {
	dir := grown(t, "a", "b", "l -> a", "two\nlines")
	env := WithGrants([]string{"A=1", envGrants + "=/forged"}, append(in(dir, "a l gone"),
		dir+"/two\nlines"))
	if len(env) != 2 || strings.Contains(env[1], "forged") || strings.Contains(env[1], "lines") {
		t.Fatalf("%q", env)
	}
	t.Setenv(envGrants, strings.TrimPrefix(env[1], envGrants+"="))
	if got := Grants(); !slices.Equal(got, in(dir, "a")) {
		t.Errorf("%q", got)
	}
	if env := WithGrants([]string{"A=1", envGrants + "=/forged"}, nil); !slices.Equal(env,
		[]string{"A=1"}) {
		t.Errorf("%q", env)
	}
	for _, value := range []string{"", "relative", "/none"} {
		t.Setenv(envGrants, value)
		if got := Grants(); len(got) != 0 {
			t.Errorf("%q: %q", value, got)
		}
	}
}

func TestUnder(t *testing.T) {
	for _, c := range []struct {
		path, dir string
		want      bool
	}{{"/a", "/a", true}, {"/a/b", "/a", true}, {"/ab", "/a", false}, {"/a", "/a/b", false},
		{"/a", "/", true},
		{"/", "/", true}, {"/", "/a", false}, {"/a/b/c", "/a/b", true}} {
		if got := Under(c.path, c.dir); got != c.want {
			t.Errorf("%s, %s: %v", c.path, c.dir, got)
		}
	}
}
