package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// TestKeyTyped: a key that a person types is not shown, and Ctrl-C gives the echo back.
func TestKeyTyped(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	for typed, want := range map[string]int{"gsk_typed_0123\n": 0, "gsk_half\x03": 130} {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "keys", "set", "groq")
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer tty.Close()
		prompt := make([]byte, 1<<10)
		seen := ""
		for !strings.Contains(seen, "not shown): ") {
			n, err := tty.Read(prompt)
			if seen += string(prompt[:n]); err != nil {
				t.Fatal(err, seen)
			}
		}
		scripttest.Await(t, "no echo", func() bool { return !echoes(t, tty) })
		io.WriteString(tty, typed)
		rest, _ := io.ReadAll(tty)
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want || strings.Contains(string(rest), "gsk_") ||
			!echoes(t, tty) {
			t.Errorf("%q: status %d, %q", typed, got, rest)
		}
	}
	text, err := os.ReadFile(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "ua/keys/groq"))
	if string(text) != "gsk_typed_0123" {
		t.Errorf("%q %v", text, err)
	}
}

// echoes reports whether the terminal shows what is typed.
func echoes(t *testing.T, tty *os.File) bool {
	state, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
