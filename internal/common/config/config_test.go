package config

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/prog"
)

func TestLoadFile(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"", ""},
		{"[think]\nmodel = \"a/b\"\n[other]\nx = 1\n", ""},
		{"[think]\n\nmodle = \"a/b\"\n", `c.toml:3: unknown key "think.modle"; did you mean "model"?`},
		{"[think]\nxyz.a = 1\n",
			`c.toml:2: unknown key "think.xyz.a"; ua-config(5) lists the keys of [think]`},
		{"# mine\nmodel = \"a/b\"\n", `c.toml:2: unknown key "model"; put it under [think]`},
		{"verbose = true\n", `c.toml:1: unknown key "verbose"; keys belong in tables, such as ` +
			`[think]; ua-config(5) lists them`},
		{"[[hooks.post_exec]]\n" +
			"command = \"x\"\n", `c.toml:1: [hooks] is a table of policies; put it into policy.toml ` +
			`beside this file; see ua-policy(5)`},
		{"[other]\n[[deny]]\n" +
			"pattern = \"rm *\"\n", `c.toml:2: [deny] is a table of policies; put it into policy.toml ` +
			`beside this file; see ua-policy(5)`},
		{"[other]\n[thnik]\nmodel = \"a/b\"\n", `c.toml:2: unknown key "thnik"; did you mean "think"?`},
		{"[[thnik]]\nmodel = \"a/b\"\n", `c.toml:1: unknown key "thnik"; did you mean "think"?`},
		{"[mine]\nx = 1\n[sandbox]\nwrite = []\n[price.\"a/b\"]\ninput = 1\n", ""},
		{"think = 3\n", "c.toml:1: type mismatch: expected table but found int64"},
		{"[server.x]\nurl = \"a\"\n[server.y]\nport = 1\n",
			`c.toml:4: unknown key "server.y.port"; ua-config(5) lists the keys of [server]`},
		{"[think]\nmodel = \n", `c.toml:2: expected value but found '\n' instead`},
		{"[think]\nmodel = 3\n",
			`c.toml:2: think.model takes a string, not an integer`},
	} {
		t.Chdir(t.TempDir())
		os.WriteFile("c.toml", []byte(c.text), 0o600)
		var v struct {
			Think  struct{ Model string }          `toml:"think"`
			Server map[string]struct{ URL string } `toml:"server"`
		}
		err := LoadFile("c.toml", &v)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if e := new(prog.Error); errors.As(err, &e) && e.Hint != "" {
			got += "; " + e.Hint
		}
		if got != c.err {
			t.Errorf("%q: %q, want %q", c.text, got, c.err)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	var v struct{}
	dir := t.TempDir()
	if err := LoadFile(dir, &v); err == nil || err.Error() != dir+": not a regular file" {
		t.Error(err)
	}
}

// TestUnreadable: settings that cannot be read are an error, however that comes. Without
// them a run would be wider than its user wants.
func TestUnreadable(t *testing.T) {
	t.Setenv("UA_SANDBOX", "")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("huge", make([]byte, FileMax+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"circle": "circle", "device": "/dev/zero",
		"large": "huge", "folder": ".", "below": "huge/x"} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
		var v struct{}
		if err := LoadFile(name, &v); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := LoadProject(name, &v, func(string) {}); err == nil {
			t.Errorf("%s of a project: no error", name)
		}
	}
}

func TestMissingFile(t *testing.T) {
	var v struct{}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("UA_SANDBOX", "")
	for name, want := range map[string]string{"": "",
		"/nonexistent/x.toml": "/nonexistent/x.toml: does not exist"} {
		t.Setenv("UA_CONFIG", name)
		if err := Load(&v); (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("UA_CONFIG=%q: %v", name, err)
		}
	}
	t.Setenv("UA_SANDBOX", "level=4") // the sandbox hides it
	if err := Load(&v); err != nil {
		t.Error(err)
	}
	if err := LoadFile(filepath.Join(t.TempDir(), "none"), &v); err != nil {
		t.Error(err)
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{
		"wait = \"90s\"": "", "wait = 90": `c.toml:1: "90" is not a duration such as 90s or 10m`,
		"wait = \"0s\"": `c.toml:1: "0s" is not a duration such as 90s or 10m`,
	} {
		t.Chdir(t.TempDir())
		os.WriteFile("c.toml", []byte(text), 0o600)
		var v struct{ Wait Duration }
		err := LoadFile("c.toml", &v)
		if want == "" && (err != nil || time.Duration(v.Wait) != 90*time.Second) || want != "" &&
			(err == nil || err.Error() != want) {
			t.Errorf("%s: %v, %v", text, v.Wait, err)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for in, want := range map[string]string{"~": "/home/me", "~/x": "/home/me/x", "~you/x": "~you/x",
		"/x/~": "/x/~", "": ""} {
		if got := Expand(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestEndlessFile reads what has no end, or waits for a writer, as no settings.
func TestEndlessFile(t *testing.T) {
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink("/dev/zero", link)); err != nil {
		t.Fatal(err)
	}
	var v struct{}
	for _, path := range []string{fifo, link, "/dev/zero"} {
		if err := LoadFile(path, &v); err == nil || err.Error() != path+": not a regular file" {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := LoadFile(os.DevNull, &v); err != nil {
		t.Error(err)
	}
}
