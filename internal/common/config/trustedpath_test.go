package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWritable: what any run of the user's may write, by the settings and by profiles, is not
// on the PATH of what runs outside of a sandbox.
func TestWritable(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home+"/.config")
	t.Setenv(EnvFile, "")
	t.Setenv("TMPDIR", home+"/tmp")
	t.Chdir(t.TempDir())
	if got := Writable(); len(got) > 0 {
		t.Errorf("without settings: %q", got)
	}
	for name, text := range map[string]string{
		"config.toml":          "[ua]\nmax_turns = 3\n[sandbox]\nwrite = [\"~/tools\", \"/data\"]\n",
		"profiles/mine.toml":   "base = \"network\"\nwrite = [\"~/more\"]\n",
		"profiles/broken.toml": "write = [",
		"tools/bin/ua-tool":    "#!/bin/sh\n",
	} {
		path := filepath.Join(home, name)
		if !strings.Contains(name, "tools") {
			path = filepath.Join(home, ".config/ua", name)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := Writable(); !slices.Equal(got, []string{home + "/tools", "/data", home + "/more"}) {
		t.Errorf("%q", got)
	}
	t.Setenv("PATH", home+"/tools/bin:"+home+"/more/bin:"+home+"/.local/bin:/usr/bin")
	if path, err := LookOutside("ua-tool"); err == nil {
		t.Errorf("found %s", path)
	}
	if path := Sibling("ua-tool"); path != "" {
		t.Errorf("the sibling is %s", path)
	}
	env := OutsideEnv(nil)
	if len(env) != 1 || !strings.HasPrefix(env[0], "PATH="+home+"/.local/bin:/usr/bin:") {
		t.Errorf("%q", env)
	}
}

// TestCheckLinks: links in the folders may lead within them, links elsewhere anywhere.
func TestCheckLinks(t *testing.T) {
	t.Setenv("UA_CONFIG", os.DevNull)
	dir := t.TempDir()
	for _, folder := range []string{"work/sub", "more", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"work/away": "../out", "work/far": "/etc/hostname",
		"work/in": "sub", "work/twice": "in/x", "work/more": "../more/x", "own": "out",
		"work/circle": "circle", "work/sub/up": "../../out/x", "lead": "work"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, link := range map[string]string{
		"work/x": "", "work/missing/x": "", "own/x": "", "work/in/x": "", "work/twice": "",
		"work/more": "", "work/away/x": "work/away", "work/away": "work/away", "work/far": "work/far",
		"work/in/up": "work/sub/up", "lead/away/x": "work/away", "out/x": "",
		"work/circle": "work/circle", "work/sub/../away/x": "work/away",
	} {
		err := CheckLinks("--x", filepath.Join(dir, path), dir+"/work", "../more", "none")
		if (err != nil) != (link != "") ||
			err != nil && !strings.Contains(err.Error(), `"`+filepath.Join(dir, link)+`" is a`) {
			t.Errorf("%s: %v, want %q", path, err, link)
		}
	}
}
