package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// TestProjects finds the settings of a folder and of all above it, but for the user's own.
func TestProjects(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("UA_CONFIG", filepath.Join(top, "home/.ua/config.toml"))
	for _, dir := range []string{".ua", "home/.ua", "home/a/.ua", "home/a/b/c",
		"home/a/b/.ua/config.toml"} {
		os.MkdirAll(filepath.Join(top, dir), 0o700)
	}
	for _, dir := range []string{"", "home", "home/a"} {
		os.WriteFile(filepath.Join(top, dir, projectFile), nil, 0o600)
	}
	os.WriteFile(filepath.Join(top, "home/a/b/c/.ua"), nil, 0o600) // no folder
	t.Chdir(filepath.Join(top, "home/a/b/c"))
	var got []string
	for _, path := range Projects() {
		if rel, err := filepath.Rel(top, path); err == nil && !strings.HasPrefix(rel, "..") {
			got = append(got, filepath.Dir(filepath.Dir(rel)))
		}
	}
	if !slices.Equal(got, []string{".", "home/a", "home/a/b"}) {
		t.Errorf("%q", got)
	}
}

// TestLoadProject: what would widen what the user allows is told and not taken.
func TestLoadProject(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, c := range map[string]struct {
		warned string
		turns  int
		wrong  string
	}{
		"":                      {"", 0, ""},
		"[ua]\nmax_turns = 5\n": {"", 5, ""},
		"[ua]\nthink = \"evil\"\n": {"p.toml:2: ignoring ua.think, which a project can't set: it " +
			"names a program", 0, ""},
		"[ua]\ntry = \"always\"\n": {"p.toml:2: ignoring ua.try, which a project can't set: the gate " +
			"allows more in a try", 0, ""},
		"[think]\nmodel = \"a/b\"\n": {"p.toml:1: ignoring [think], which a project can't set: which " +
			"model is asked, and what with, is the user's choice", 0, ""},
		"[provider.x]\nbase_url = \"http://evil\"\napi_key = \"x\"\n": {"p.toml:1: ignoring " +
			"[provider], which a project can't set: which model is asked, and what with, is the user's " +
			"choice", 0, ""},
		"[ua]\nmax_turns = 5\n[try]\nkeep = \"1s\"\n": {"p.toml:3: ignoring [try], " +
			"which a project can't set: how long tries are kept is the user's choice", 5, ""},
		"[elsewhere]\nx = 1\n":      {"", 0, ""},
		"[ua]\nmax_turn = 5\n":      {"", 0, `p.toml:2: unknown key "ua.max_turn"`},
		"[ua]\nmax_turns = \"5\"\n": {"", 0, "p.toml:2: "},
		"[ua\n":                     {"", 0, "p.toml:2: "},
	} {
		os.WriteFile("p.toml", []byte(text), 0o600)
		var into struct {
			UA Agent `toml:"ua"`
		}
		var warned []string
		err := LoadProject("p.toml", &into, func(s string) { warned = append(warned, s) })
		if strings.Join(warned, "|") != c.warned || err == nil && into.UA.MaxTurns != c.turns ||
			(err == nil) != (c.wrong == "") || err != nil && !strings.HasPrefix(err.Error(), c.wrong) {
			t.Errorf("%q: %q, %d turns, %v", text, warned, into.UA.MaxTurns, err)
		}
	}
}

// TestHostileProject: what a command has put in the place of a project's settings does not
// hang who reads them.
func TestHostileProject(t *testing.T) {
	t.Chdir(t.TempDir())
	unix.Mkfifo("fifo", 0o600)
	os.Mkdir("folder", 0o700)
	os.Symlink("none", "link")
	large, _ := os.Create("large")
	large.Truncate(projectMax + 1)
	large.Close()
	for _, path := range []string{"fifo", "folder", "link", "large", "none"} {
		err, e := LoadProject(path, &struct{}{}, func(string) {}), new(prog.Error)
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), path+": ") ||
			!strings.Contains(e.Hint, "remove the file") {
			t.Errorf("%s: %v, %q", path, err, e.Hint)
		}
	}
	os.WriteFile("wrong", []byte("[ua]\nmax_turn = 1\n"), 0o600)
	err, e := LoadProject("wrong", &struct {
		UA Agent `toml:"ua"`
	}{}, func(string) {}), new(prog.Error)
	want := `did you mean "max_turns"?; or remove the file, if a command left it there`
	if !errors.As(err, &e) || e.Hint != want {
		t.Errorf("%v, hint %q", err, e.Hint)
	}
}
