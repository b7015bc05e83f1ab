package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLoadFile(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"", ""},
		{"[think]\nmodel = \"a/b\"\n[other]\nx = 1\n", ""},
		{"[think]\nmodle = \"a/b\"\n", `c.toml: unknown key "think.modle"`},
		{"think = 3\n", "c.toml:1: type mismatch: expected table but found int64"},
		{"[server.x]\nurl = \"a\"\n[server.y]\nport = 1\n", `c.toml: unknown key "server.y.port"`},
		{"[think]\nmodel = \n", `c.toml:2: expected value but found '\n' instead`},
		{"[think]\nmodel = 3\n", `c.toml:2: incompatible types: TOML value has type int64; destination has type string`},
	} {
		t.Chdir(t.TempDir())
		os.WriteFile("c.toml", []byte(c.text), 0o600)
		var v struct {
			Think  struct{ Model string }          `toml:"think"`
			Server map[string]struct{ URL string } `toml:"server"`
		}
		err := LoadFile("c.toml", &v)
		if c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%q: %v, want %q", c.text, err, c.err)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	var v struct{}
	dir := t.TempDir()
	if err := LoadFile(dir, &v); err == nil || err.Error() != dir+": is a directory" {
		t.Error(err)
	}
}

func TestHome(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "relative")
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		if got := StateDir(); !filepath.IsAbs(got) || got == "/.local/state/ua" && os.Getuid() == 0 {
			t.Errorf("HOME=%q: %s", home, got)
		}
	}
	t.Setenv("HOME", "/h")
	if got := StateDir(); got != "/h/.local/state/ua" {
		t.Error(got)
	}
}

func TestMissingFile(t *testing.T) {
	var v struct{}
	if err := LoadFile(filepath.Join(t.TempDir(), "none"), &v); err != nil {
		t.Error(err)
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{
		"wait = \"90s\"": "", "wait = 90": `c.toml:1: "90" is no duration such as 90s or 10m`, "wait = \"0s\"": `c.toml:1: "0s" is no duration such as 90s or 10m`,
	} {
		t.Chdir(t.TempDir())
		os.WriteFile("c.toml", []byte(text), 0o600)
		var v struct{ Wait Duration }
		err := LoadFile("c.toml", &v)
		if want == "" && (err != nil || time.Duration(v.Wait) != 90*time.Second) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, %v", text, v.Wait, err)
		}
	}
}
