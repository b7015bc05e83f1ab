package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

func TestPolicyErrors(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"\n\n[levels]\nwirte = \"ask\"\n", `p.toml:4: unknown level "wirte"`, `did you mean "write"?`},
		{"[levels.attended]\nwrite = \"alow\"\n",
			`p.toml:2: unknown decision "alow" (did you mean "allow"?)`, ""},
		{"[levels]\nwrite = 3\n", `p.toml:2: unknown decision "3" (one of allow, ask, deny)`, ""},
		{"[levels]\nattended = \"ask\"\n",
			`p.toml:2: type mismatch: expected table but found string`, ""},
		{"[levels]\ndenied = \"allow\"\n", `p.toml:2: what is denied never runs: no policy can allow it`,
			""},
		{"[levels]\nwrite = \n", `p.toml:2: expected value but found '\n' instead`, ""},
		{"[[deny]]\nreason = \"x\"\n", `p.toml:1: the rule has no pattern and no row`, ""},
		{"[[deny]]\npattern = \"a *\"\n[[deny]]\n# two\npattern = \" \"\n",
			`p.toml:5: " ": empty pattern`, ""},
		{"[[deny]]\npattern = [1]\n", `p.toml:2: want a string or an array of strings`, ""},
		{"[[allow]]\npattern = \"a\"\nlevel = \"write\"\n", `p.toml:3: unknown key "allow.level"`,
			"one of pattern, row, reason, match, not"},
		{"[[ask]]\nrow = \"[\"\n", `p.toml:2: "[": syntax error in pattern`, ""},
		{"[judge]\nfrom = \"hgih\"\n", `p.toml:2: unknown level "hgih"`, ""},
		{"[judge]\ntimeout = \"soon\"\n", `p.toml:2: "soon" is not a duration such as 90s or 10m`, ""},
		{"[[hooks.pre_exec]]\ntimeout = \"5s\"\n", `p.toml:1: the hook has no command`, ""},
		{"[[hooks.pre_exec]]\ncommand = \"a\"\n\n[[hooks.pre_exec]]\ncommand = \"b\"\non_error = " +
			"\"alow\"\n", `p.toml:6: unknown decision "alow" (one of deny, ask, ignore)`, ""},
		{"[[hooks.post_exce]]\ncommand = \"a\"\n", `p.toml:1: unknown key "hooks.post_exce"`,
			"did you mean \"post_exec\"?"},
		{"[[hooks.session_end]]\ncommand = \"a\"\nwhen = \"b\"\n",
			`p.toml:3: unknown key "hooks.session_end.when"`, "one of command, timeout, on_error"},
		{"[paths]\n", `p.toml:1: unknown key "paths"`, `did you mean "path"?`},
		{"[workspace]\nfolders = [\"../x\"]\n", `p.toml:2: "../x" is not an absolute path`, ""},
		{"workspace.folders = \"x\"\n", `p.toml:1: "x" is not an absolute path`, ""},
	} {
		err := (&policy{}).add("p.toml", c.text)
		var e *prog.Error
		if !errors.As(err, &e) || e.Error() != c.want || c.hint != "" && e.Hint != c.hint ||
			e.Status != prog.Trouble {
			t.Errorf("%q: %v (%#v), want %s", c.text, err, e, c.want)
		}
	}
}

// projectGate is a gate in a folder of a project with the policy, two folders
// below it.
func projectGate(t *testing.T, user, project string) (*gate, string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	dir := filepath.Join(home, "project", "a", "b")
	for path, text := range map[string]string{
		filepath.Join(home, "config", "ua", "policy.toml"):        user,
		filepath.Join(home, "project", ".ua", "policy.toml"):      project,
		filepath.Join(home, "project", "a", ".ua", "policy.toml"): "", // an empty one frees nothing
		filepath.Join(dir, "file"):                                "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(filepath.Join(home, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	env := &prog.Env{Name: "ua-gate", Stdout: os.Stdout, Stderr: log}
	g, err := newGate(env, options{shell: "bash", cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	warned, _ := os.ReadFile(log.Name())
	return g, string(warned)
}

func TestProjectTightens(t *testing.T) {
	for _, c := range []struct {
		user, project, command string
		want                   verdict.Decision
		warning                string
	}{
		{"", "[levels]\nnetwork = \"deny\"\n", network, "deny", ""},
		{"", "[levels]\nnetwork = \"deny\"\n", write, "allow", ""},
		{"", "[[deny]]\npattern = \"curl *\"\n", network, "deny", ""},
		{"", "[[ask]]\npattern = \"curl *\"\n", network, "deny", ""},
		{"[levels]\nnetwork = \"deny\"\n", "[[ask]]\npattern = \"curl *\"\n", network, "deny", ""},
		{"", "[levels]\nprivileged = \"allow\"\n", privileged, "deny",
			"can't free the level privileged"},
		{"[levels]\nwrite = \"deny\"\n", "[levels]\nwrite = \"allow\"\n", write, "deny",
			"can't free the level write"},
		{"[[deny]]\npattern = \"touch *\"\n", "[[allow]]\npattern = \"touch *\"\n", write, "deny",
			"can't allow"},
		{"", "[levels.try]\ndestructive = \"allow\"\n", destructive, "allow",
			"can't free the level destructive in a try"},
		{"", "[levels.unconfined]\nwrite = \"allow\"\n", write, "allow", "can't free the level write"},
		{"", "[[allow]]\npattern = \"sudo *\"\n", privileged, "deny", "can't allow"},
		{"", "[[hooks.pre_exec]]\ncommand = [\"sh\", \"-c\", \"touch hooked; echo '{}'\"]\n", readOnly,
			"allow", "can't name hooks"},
		{"", "[judge]\ncommand = [\"touch\", \"hooked\"]\nfrom = \"read_only\"\n", readOnly, "allow",
			"can't name a judge"},
		{"", "[workspace]\nfolders = [\"/etc\"]\n", readOnly, "allow", "can't widen the workspace"},
	} {
		g, warned := projectGate(t, c.user, c.project)
		v := decided(t, g, c.command, nil)
		if v.Decision != c.want || !strings.Contains(warned, c.warning) || c.warning == "" &&
			warned != "" {
			t.Errorf("user %q, project %q, %q: %s by %s (%s), warned %q", c.user, c.project, c.command,
				v.Decision, v.By, v.Reason, warned)
		}
		if _, err := os.Stat("hooked"); err == nil {
			os.Remove("hooked")
			t.Errorf("project %q started a program", c.project)
		}
	}
}

// A policy that can't be read ends the gate, and never hangs it: a project's, with what to
// do, and the user's own.
func TestBrokenPolicy(t *testing.T) {
	for _, c := range []struct {
		put  func(path string) error
		want string
	}{
		{func(path string) error { return os.WriteFile(path, []byte("[levels\n"), 0o600) },
			"policy.toml:2: expected"},
		{func(path string) error {
			return os.WriteFile(path, bytes.Repeat([]byte("#"), maxPolicy+1),
				0o600)
		}, "longer than 1 MiB"},
		{func(path string) error { return syscall.Mkfifo(path, 0o600) }, "no regular file"},
		{func(path string) error { return os.Symlink("/dev/zero", path) }, "no regular file"},
		{func(path string) error { return os.Symlink("/none", path) }, "no such file"},
		{func(path string) error { return os.Mkdir(path, 0o700) }, "no regular file"},
	} {
		for _, file := range []string{".ua/policy.toml", ".config/ua/policy.toml"} {
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			t.Setenv("XDG_CONFIG_HOME", "")
			path := filepath.Join(dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), c.put(path)); err != nil {
				t.Fatal(err)
			}
			_, err := newGate(&prog.Env{Stderr: os.Stderr}, options{cwd: dir})
			users, e := strings.Contains(file, "config"), new(prog.Error)
			if users && c.want == "no such file" {
				if err != nil { // as without one
					t.Errorf("%s: %v", file, err)
				}
				continue
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &e) ||
				strings.Contains(e.Hint, "remove the file") == users {
				t.Errorf("%s: error %v, want %s; hint %q", file, err, c.want, e.Hint)
			}
		}
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("[levels]\nwrite = \"ask\"\n[levels.attended]\nnetwork = \"allow\"\n[[deny]]\npattern = " +
		"[\"a *\"]\nmatch = \"a b\"\n")
	f.Add("[[hooks.pre_exec]]\ncommand = \"./x\"\ntimeout = \"5s\"\n[judge]\nfrom = " +
		"\"write\"\n[workspace]\nfolders = [\"/x\"]\n[command.x]\n")
	f.Add("levels = {attended = {write = \"ask\"}}\ndeny = [{pattern = \"x\"}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := &policy{levels: defaults()}
		err := p.add("p.toml", text)
		var e *prog.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
		for _, d := range p.levels {
			if d[verdict.Denied] != verdict.Deny {
				t.Fatalf("what is denied is %s", d[verdict.Denied])
			}
		}
	})
}
