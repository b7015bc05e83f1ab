package prog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files returns an Env of files, and what reads them.
func files(t *testing.T) (env *Env, stdout, stderr func() string) {
	t.Helper()
	dir := t.TempDir()
	open := func(name string) (*os.File, func() string) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f, func() string {
			text, err := os.ReadFile(f.Name())
			if err != nil {
				t.Error(err)
			}
			return string(text)
		}
	}
	env = &Env{Name: "ua-x"}
	env.Stdout, stdout = open("out")
	env.Stderr, stderr = open("err")
	return env, stdout, stderr
}

// TestReport: the error's words, its hint and its status, each once.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		stderr string
	}{
		{nil, 0, ""},
		{Exit(0), 0, ""}, {Exit(137), 137, ""}, {fmt.Errorf("a: %w", Exit(3)), 3, ""},
		{errors.New("broken"), Trouble, "ua-x: broken\n"},
		{Errorf(No, "no %s", "way"), No, "ua-x: no way\n"},
		{Errorf(TryLater, "busy").Hintf("try %d", 2), TryLater, "ua-x: busy\nua-x: hint: try 2\n"},
		{fmt.Errorf("a: %w", Errorf(NotFound, "gone").Hintf("look")), NotFound,
			"ua-x: a: gone\nua-x: hint: look\n"},
		{errors.Join(errors.New("one"), Errorf(No, "two")), No, "ua-x: one\ntwo\n"},
		// what comes from a server or a file drives no terminal
		{errors.New("a\x1b[2J\x9b\u202e"), Trouble, `ua-x: a^[[2J\x9b<U+202E>` + "\n"},
		{Errorf(No, "a").Hintf("%s", "\x07"), No, "ua-x: a\nua-x: hint: ^G\n"},
	} {
		env, _, stderr := files(t)
		if got := env.Report(c.err); got != c.status || stderr() != c.stderr {
			t.Errorf("%v: %d %q", c.err, got, stderr())
		}
	}
	if err := Errorf(No, "%w", io.EOF); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Error(err)
	}
	if got := Exit(5).Error(); got != "exit status 5" {
		t.Error(got)
	}
}

// TestParseEnds: --help and --version print, and end the program with 0; not behind "--".
func TestParseEnds(t *testing.T) {
	for _, c := range []struct {
		args, stdout string
		err          error
	}{
		{"--help", "usage\n  more\n", Exit(0)}, {"-h", "usage\n  more\n", Exit(0)},
		{"-n 1 --help", "usage\n  more\n", Exit(0)}, {"--version", "ua-x " + Version() + "\n", Exit(0)},
		{"--version --help", "usage\n  more\n", Exit(0)}, {"-- --help", "", nil}, {"x --help", "", nil},
		{"-n 1 x", "", nil}, {"", "", nil},
	} {
		env, stdout, stderr := files(t)
		fs := Flags()
		fs.Int("n", 0, "")
		if err := env.Parse(fs, strings.Fields(c.args), "\nusage\n  more\n\n"); err != c.err ||
			stdout() != c.stdout || stderr() != "" {
			t.Errorf("%s: %v %q %q", c.args, err, stdout(), stderr())
		}
	}
	// A program's own --version is its own.
	env, stdout, _ := files(t)
	fs := Flags()
	own := fs.Bool("version", false, "")
	if err := env.Parse(fs, []string{"--version"}, ""); err != nil || !*own || stdout() != "" {
		t.Errorf("%v %v %q", err, *own, stdout())
	}
}

// TestPrintfKeepsTheFirst: what could not be written is known at the end, the first of it.
func TestPrintfKeepsTheFirst(t *testing.T) {
	env, stdout, _ := files(t)
	env.Printf("a %d\n", 1)
	if env.lost != nil || stdout() != "a 1\n" {
		t.Errorf("%v %q", env.lost, stdout())
	}
	env.Stdout.Close()
	env.Printf("b\n")
	first := env.lost
	env.Stdout = nil
	env.Printf("c\n")
	if !errors.Is(first, os.ErrClosed) || env.lost != first {
		t.Errorf("%v, then %v", first, env.lost)
	}
}

// TestOut: off a terminal bytes pass as they are; whoever asks twice gets the same.
func TestOut(t *testing.T) {
	env, stdout, _ := files(t)
	const text = "a\x1b[31m\x9b\r\n"
	if _, err := io.WriteString(env.Out(), text); err != nil || stdout() != text {
		t.Errorf("%q %v", stdout(), err)
	}
	if env.Out() != env.Out() {
		t.Error("another one")
	}
}
