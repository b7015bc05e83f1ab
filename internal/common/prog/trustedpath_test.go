package prog

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestOutsidePath: what a command may write, or may turn elsewhere, is not on it.
func TestOutsidePath(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base+"/tmp")
	t.Setenv("HOME", base+"/home")
	for _, dir := range []string{"work/sub", "work/bin", "tmp", "home/bin", "home/tools/bin",
		"opt/bin"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"link":        "work/bin",
		"parent":      "work",
		"through":     "work/turned", // which a command can turn
		"work/turned": base + "/opt/bin",
		"home/away":   base + "/opt/bin",
		"circle":      "circle",
		"fine":        "opt/bin",
	} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	self, _ := os.Executable()
	for _, c := range []struct {
		cwd, dir string // dir is on PATH; one that is not absolute or begins with / is below base
		writable string
		on       bool
	}{
		{"work", "opt/bin", "", true},
		{"work", "fine", "", true},
		{"work", "home/bin", "", true},
		{"work", "work", "", false},
		{"work", "work/bin", "", false},
		{"work", "work/none/bin", "", false},
		{"work", "tmp/bin", "", false},
		{"work/sub", "work/bin", "", true}, // of no command of this run
		// By name it is elsewhere.
		{"work", "link", "", false},
		{"work", "parent/bin", "", false},
		{"work", "parent/none", "", false},
		{"work", "through", "", false},
		{"work", "work/turned", "", false},
		{"work", "circle", "", false},
		{"work", "home/../work/bin", "", false},
		{"work", "work/sub/../../opt/bin", "", false},
		{"work", "parent/../opt/bin", "", false},
		{"work", "home/../opt/bin", "", true},
		// Folders that the user lets commands write.
		{"work", "home/tools/bin", "home/tools", false},
		{"work", "home/tools/bin", "home/tools/bin", false},
		{"work", "home/tools/bin", "home/tools/bin/jq", true},
		{"work", "home/tools", "home/tools/bin", true},
		{"work", "home/bin", "home/tools", true},
		{"work", "fine", "opt", false},
		{"work", "opt/bin", "fine", false},
		{"work", "opt/new", "opt", false},
		// What is there in a home is protected, unless it is named itself.
		{"home", "home/bin", "", true},
		{"home", "home", "", false},
		{"home", "home/none", "", false},
		{"home", "home/away", "", true},
		{"work", "home/bin", "home", true},
		{"work", "home/bin", "/", true},
		{"work", "opt/bin", "/", true},
		{"home", "home/tools/bin", "home/tools", false},
		{"home", "home/bin", "home/tools", true},
	} {
		t.Chdir(filepath.Join(base, c.cwd))
		t.Setenv("PATH", base+"/"+c.dir)
		var writable []string
		if c.writable != "" {
			writable = []string{base + "/" + c.writable}
		}
		if c.writable == "/" {
			writable = []string{"/"}
		}
		want := filepath.Dir(self)
		if c.on {
			want = base + "/" + c.dir + ":" + want
		}
		if got := OutsidePath(writable...); got != want {
			t.Errorf("in %s, --write %q, %s is on PATH: %t, not %t", c.cwd, c.writable, c.dir, !c.on, c.on)
		}
	}
	t.Chdir(base + "/work")
	t.Setenv("PATH", ".::bin:./bin:../opt/bin:/usr/bin")
	if got := OutsidePath("/"); got != "/usr/bin:"+filepath.Dir(self) {
		t.Errorf("relative ones: %s", got)
	}
}

// TestLookOutside: nor is a program found that is a link to where a command may write.
func TestLookOutside(t *testing.T) {
	base := t.TempDir()
	work, bin := base+"/work", base+"/bin"
	program(t, work, "ua-none-such")
	good := program(t, base+"/good", "ua-none-such")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(work+"/ua-none-such", bin+"/ua-none-such"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", base+"/tmp")
	t.Setenv("PATH", work+":"+bin+":"+base+"/good")
	t.Chdir(work)
	if got, err := LookOutside("ua-none-such"); got != good || err != nil {
		t.Errorf("found %s, %v", got, err)
	}
	if got, err := LookOutside("ua-none-such", base+"/good"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("found %s, %v", got, err)
	}
	env := OutsideEnv([]string{"A=1", "PATH=/x", "PATHS=2"}, base+"/good")
	want := []string{"A=1", "PATHS=2", "PATH=" + OutsidePath(base+"/good")}
	if !slices.Equal(env, want) {
		t.Errorf("%q", env)
	}
}

// TestOutsideVariables: no code is loaded from where a command may write.
func TestOutsideVariables(t *testing.T) {
	base := t.TempDir()
	work := base + "/work"
	if err := os.MkdirAll(work+"/lib", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(work+"/lib", base+"/link"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", base+"/tmp")
	t.Setenv("HOME", base+"/home")
	t.Chdir(work)
	for v, want := range map[string]string{
		"LD_LIBRARY_PATH=/opt/x:":                  "LD_LIBRARY_PATH=/opt/x",
		"LD_LIBRARY_PATH=:/opt/x:lib:" + work:      "LD_LIBRARY_PATH=/opt/x",
		"LD_LIBRARY_PATH=" + base + "/link":        "",
		"LD_LIBRARY_PATH=":                         "",
		"LD_PRELOAD=libx.so /opt/y.so ./z.so":      "LD_PRELOAD=libx.so:/opt/y.so",
		"PYTHONPATH=/opt/a:" + base + "/tmp/b":     "PYTHONPATH=/opt/a",
		"BASH_ENV=./env":                           "",
		"BASH_ENV=" + base + "/env":                "BASH_ENV=" + base + "/env",
		"PERL5LIB=/opt/a:/opt/b":                   "PERL5LIB=/opt/a:/opt/b",
		"MY_LIBRARY_PATH=" + work:                  "MY_LIBRARY_PATH=" + work,
		"GIT_EXEC_PATH=" + base + "/named/libexec": "",
		"LUA_PATH_5_4=/opt/?.lua;;":                "",
		"LUA_CPATH=./?.so;;":                       "",
		"LUA_INIT=@start.lua":                      "",
		"LUA_INIT=@/opt/start.lua":                 "",
		"LUA_INIT_5_3=dofile('start.lua')":         "",
		"PYTHONPATH=~/lib":                         "",
		"ZDOTDIR=zsh":                              "",
		"R_PROFILE_USER=/opt/R":                    "R_PROFILE_USER=/opt/R",
		"GTK_MODULES=gail:./x.so:/opt/y.so":        "GTK_MODULES=gail:/opt/y.so",
		"DOTNET_STARTUP_HOOKS=" + work + "/x.dll":  "",
		"QT_PLUGIN_PATH=" + base + "/link/q":       "",
		"OPENSSL_CONF=openssl.cnf":                 "",
		"PERL_USE_UNSAFE_INC=1":                    "",
		"PHP_INI_SCAN_DIR=:/opt/php":               "",
		"PHP_INI_SCAN_DIR=:./php":                  "",
		"JULIA_LOAD_PATH=@:@v#.#:/opt/j":           "",
		"JULIA_LOAD_PATH=@:" + work:                "",
		"TCLLIBPATH=/opt/tcl " + work:              "",
		"EDITOR=./ed":                              "EDITOR=./ed", // ua-sandbox protects it
	} {
		got := OutsideEnv([]string{v}, base+"/named")
		if want == "" && len(got) != 1 || want != "" && (len(got) != 2 || got[0] != want) {
			t.Errorf("%s: %q, want %q", v, got[:len(got)-1], want)
		}
	}
}

// TestOutsideOptions: nor where options may name it.
func TestOutsideOptions(t *testing.T) {
	for v, stays := range map[string]bool{
		"NODE_OPTIONS=": true, "NODE_OPTIONS=--require ./x.js": false, "PERL5OPT=-Ilib": false,
		"RUBYOPT=-W0": false, "JDK_JAVA_OPTIONS=@args": false, "MY_OPTIONS=-r ./x": true,
		"LUA_INIT_5_3=dofile('start.lua')": false,
	} {
		if got := OutsideEnv([]string{v}); (len(got) == 2) != stays {
			t.Errorf("%s: %q, to stay: %t", v, got[:len(got)-1], stays)
		}
	}
}
