package integration

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/mark"
	"ua/cmd/ua-shell/internal/shell"
)

// TestFits: a shell that runs a script, or reads no start-up file, tells nothing.
func TestFits(t *testing.T) {
	for line, want := range map[string]bool{
		"bash": true, "bash -l": true, "bash --login": true, "bash -i": true, "bash -x +o": true,
		"/bin/bash":  true,
		"bash -c ls": false, "bash script": false, "bash --norc": false, "bash --posix": false,
		"bash --rcfile x": false, "bash --rcfile=x": false, "bash --init-file=x": false,
		"bash -lc ls": false, "bash -": false,
		"zsh": true, "zsh -l": true, "zsh -f": false, "zsh -c ls": false, "zsh --no-rcs": false,
		"zsh --norcs": false, "zsh script": false, "zsh -lf": false,
		"fish": true, "fish -l": true, "fish -i": true, "fish -N": false, "fish -n": false,
		"fish --no-config": false,
		"fish -c ls":       false, "fish --command=ls": false, "fish --no-execute": false,
		"dash": false, "sh": false, "ksh": false, "-bash": true, "nu": false,
	} {
		words := strings.Fields(line)
		if got := Fits(shell.Shell{Path: words[0], Args: words[1:]}); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	if !Fits(shell.Shell{Path: "/usr/bin/env", Called: "zsh"}) {
		t.Error("a shell with a program around it")
	}
}

// made is an integration for a shell, with what it is started with.
func made(t *testing.T, name string, args ...string) (*Integration, shell.Shell) {
	t.Helper()
	in, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	given := slices.Clone(args)
	s, err := in.Prepare(shell.Shell{Path: "/bin/" + name, Args: args, Env: []string{"A=1"}})
	if err != nil || !slices.Equal(args, given) {
		t.Fatalf("%v, and the caller's %q", err, args)
	}
	return in, s
}

// TestPrepare: what each shell is started with, and what lies in the folder until it is read.
func TestPrepare(t *testing.T) {
	runtime := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv("ZDOTDIR", "/own/z")
	for _, c := range []struct {
		name, args, want, env string
		files                 string
	}{
		{"bash", "", "--rcfile FOLDER/bash.sh", "A=1", "bash.sh go trap"},
		{"bash", "-l -x --login", "--rcfile FOLDER/bash.sh -x", "A=1", "bash.sh go trap"},
		{"zsh", "-l", "-l", "A=1 UA_SHELL_ZDOTDIR=/own/z ZDOTDIR=FOLDER", ".zshenv go init.zsh"},
		{"fish", "-i", "--init-command source 'FOLDER/init.fish' -i", "A=1", "go init.fish"},
	} {
		in, s := made(t, c.name, strings.Fields(c.args)...)
		in2, _ := made(t, c.name)
		fill := strings.NewReplacer("FOLDER", in.Folder)
		if got := strings.Join(s.Args, " "); got != fill.Replace(c.want) {
			t.Errorf("%s %s: %s", c.name, c.args, got)
		}
		if got := strings.Join(s.Env, " "); got != fill.Replace(c.env) {
			t.Errorf("%s %s: %s", c.name, c.args, got)
		}
		if info, err := os.Stat(in.Folder); err != nil || info.Mode().Perm() != 0o700 ||
			filepath.Dir(in.Folder) != runtime || len(in.Nonce) != 32 || in.Nonce == in2.Nonce {
			t.Errorf("%s: %v %v, %q and %q", c.name, info, err, in.Nonce, in2.Nonce)
		}
		if got := names(t, in.Folder); got != c.files {
			t.Errorf("%s: %s", c.name, got)
		}
		for _, name := range strings.Fields(c.files) {
			info, err := os.Lstat(in.path(name))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s: %v %v", c.name, name, info, err)
			}
			if name == "go" {
				continue
			}
			text, err := os.ReadFile(in.path(name))
			login := strings.Contains(string(text), "'login'")
			if err != nil || strings.Contains(string(text), "@NONCE@") ||
				strings.Contains(string(text), "@FOLDER@") ||
				strings.Contains(string(text), "@LOGIN@") ||
				login != (c.name == "bash" && c.args != "" && name == "bash.sh") {
				t.Errorf("%s: %s: login %v, %v", c.name, name, login, err)
			}
		}
		in.Loaded()
		if got := names(t, in.Folder); strings.ContainsAny(strings.ReplaceAll(got, "trap", ""), ".z") {
			t.Errorf("%s: left when it is read: %s", c.name, got)
		}
		in.Close()
		if _, err := os.Lstat(in.Folder); err == nil {
			t.Errorf("%s: the folder is left", c.name)
		}
	}
}

func names(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// TestNewElsewhere: a folder that can't be quoted, or is none, is not used.
func TestNewElsewhere(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	odd := filepath.Join(t.TempDir(), "o'dd")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", "relative", odd, "/nowhere/at/all"} {
		t.Setenv("XDG_RUNTIME_DIR", dir)
		in, err := New()
		if err != nil || filepath.Dir(in.Folder) != tmp {
			t.Errorf("%q: %+v %v", dir, in, err)
			continue
		}
		in.Close()
	}
}

// TestAnswers: what the hook reads, line by line, and that of a command of several lines
// too. A token holds until the hook is let go, a key for one line.
func TestAnswers(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	const command = "echo 'a\nb'\t\\ \x01ü"
	for name, how := range map[string]byte{"bash": 0, "zsh": 'q', "fish": 'u'} {
		in, _ := made(t, name)
		r, err := os.Open(in.path("go"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		lines := bufio.NewScanner(r)
		reads := func(want string) (rest string) {
			t.Helper()
			if !lines.Scan() {
				t.Fatalf("%s: %v", name, lines.Err())
			}
			rest, ok := strings.CutPrefix(lines.Text(), want)
			if !ok {
				t.Errorf("%s: %q, want %q", name, lines.Text(), want)
			}
			return rest
		}
		if in.Told("") || in.Typed("") || in.Known("") {
			t.Errorf("%s: nothing is believed", name)
		}
		first := in.Tell()
		reads("tell " + first)
		if in.Tell() != first || !in.Told(first) || in.Told("x") || in.Token() != first {
			t.Errorf("%s: another token", name)
		}
		reads("tell " + first)
		key := in.Run(command, "A=1 2", "B=")
		reads(first + " set A=1 2")
		reads(first + " set B=")
		line, text, _ := strings.Cut(reads(first+" run "), " ")
		if how == 0 && (text != "" || key != "") {
			t.Errorf("%s: %q, key %q", name, text, key)
		}
		text, whole := strings.CutSuffix(text, " "+line)
		if how != 0 && (key == "" || !whole || mark.Unquote(string(how)+text) != command) {
			t.Errorf("%s: %q, key %q", name, text, key)
		}
		if in.Told(first) || !in.Known(first) || in.Token() != "" {
			t.Errorf("%s: the token still holds", name)
		}
		if in.Typed("x") || !in.Typed(line) || in.Typed(line) {
			t.Errorf("%s: the key does not hold once", name)
		}
		second := in.Tell()
		reads("tell " + second)
		in.Done()
		next := reads(second + " done ")
		if next == line || !in.Typed(next) || second == first || in.Known(first) {
			t.Errorf("%s: token %q, key %q", name, second, next)
		}
	}
}

// TestRestore puts a link to a file, a folder and a regular file in the place of the FIFO, and
// swaps them while it is restored: the session answers at a FIFO of its own, and writes
// nowhere else.
func TestRestore(t *testing.T) {
	in, _ := made(t, "bash")
	canary, path := filepath.Join(t.TempDir(), "canary"), in.path("go")
	os.WriteFile(canary, []byte("whole"), 0o600)
	put := func(i int) {
		os.RemoveAll(path)
		switch i % 4 {
		case 0:
			os.Symlink(canary, path)
		case 1:
			os.Mkdir(path, 0o700)
		case 2:
			os.Link(canary, path)
		case 3:
			unix.Mkfifo(path, 0o600)
		}
	}
	ended, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			default:
				put(i)
			}
		}
	}()
	for range 1000 {
		in.Restore()
		in.Tell()
	}
	close(end)
	<-ended
	for i := range 4 {
		put(i)
		in.Restore()
		in.Tell()
		in.Done()
	}
	if got, _ := os.ReadFile(canary); string(got) != "whole" {
		t.Errorf("written to: %q", got)
	}
	os.RemoveAll(path)
	in.Restore()
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeType != os.ModeNamedPipe {
		t.Errorf("%v %v", info, err)
	}
}

// TestFullFIFO: a FIFO that somebody has filled keeps nobody waiting.
func TestFullFIFO(t *testing.T) {
	in, _ := made(t, "bash")
	for range 3000 { // 64 KiB are room for some 1,700
		in.Tell()
	}
	in.Done()
}

// TestLongLine: the rest of a line that the FIFO does not hold at once comes when the hook has
// read its start.
func TestLongLine(t *testing.T) {
	in, _ := made(t, "zsh")
	r, err := os.Open(in.path("go"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	long := strings.Repeat("x", 200_000)
	read := make(chan string)
	go func() {
		line, _ := bufio.NewReader(r).ReadString('\n')
		read <- line
	}()
	in.Run(long)
	in.Done() // ends the line where it was cut
	if line := <-read; !strings.Contains(line, "$'"+long+"' ") {
		t.Errorf("%d bytes", len(line))
	}
}
