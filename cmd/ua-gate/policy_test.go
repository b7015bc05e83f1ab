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
			return os.WriteFile(path, bytes.Repeat([]byte("#"), 1<<20+1),
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
