package shell

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ua/internal/common/prog"
)

// TestFind: the shell that is named, else the user's, and never ua-shell itself.
func TestFind(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, work := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", "/var/tmp")
	t.Chdir(work) // on PATH, too, but what is there may be a command's
	for _, name := range []string{"bash", "planted"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "own"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, filepath.Join(bin, "ua-shell")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", work+":"+bin)
	for _, c := range []struct {
		name, env string
		want      string
		status    int
	}{
		{"bash", "/bin/zsh", bin + "/bash", 0}, {bin + "/own", "", bin + "/own", 0},
		{"", bin + "/own", bin + "/own", 0}, {"", "own", bin + "/own", 0},
		{"", "", "/bin/sh", 0}, {"", "/no/such/shell", "/bin/sh", 0},
		{"nowhere", "/bin/sh", "", prog.NotFound}, {"/no/such", "", "", prog.NotFound},
		{bin, "", "", prog.NotFound}, {"planted", "/bin/sh", "", prog.NotFound},
		{"ua-shell", "/bin/sh", "", prog.Trouble}, {self, "", "", prog.Trouble},
		{"", self, bin + "/bash", 0}, {"", "ua-shell", bin + "/bash", 0},
	} {
		t.Setenv("SHELL", c.env)
		got, err := Find(c.name)
		var e *prog.Error
		if errors.As(err, &e); (err == nil) != (c.status == 0) || e != nil && e.Status != c.status ||
			got.Path != c.want {
			t.Errorf("%q with SHELL=%s: %q %v", c.name, c.env, got.Path, err)
		}
		if c.want == bin+"/bash" && c.name == "" && os.Getenv("SHELL") != c.want {
			t.Errorf("SHELL is %q inside", os.Getenv("SHELL"))
		}
	}
}

func TestName(t *testing.T) {
	for want, s := range map[string]Shell{"bash": {Path: "/bin/bash"}, "zsh": {Path: "/usr/bin/-zsh"},
		"fish": {Path: "/usr/bin/env", Called: "fish"}, "rbash": {Path: "rbash"}} {
		if got := s.Name(); got != want {
			t.Errorf("%+v: %s", s, got)
		}
	}
}
