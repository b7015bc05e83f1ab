// Package completion holds the tests of the shells' completions, each in its
// real shell.
package completion

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ua/internal/common/scripttest"
)

func environ(t *testing.T) []string {
	return append(os.Environ(), "PATH="+scripttest.Bin(t)+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "TERM=dumb", "LC_ALL=C")
}

func TestBashAndFish(t *testing.T) {
	scripttest.Need(t, "bash", "fish")
	for _, c := range []struct{ shell, script, want string }{
		{"bash", `source ua.bash; COMP_CWORD=1; _ua ua-journal ap; echo "${COMPREPLY[@]}"`, "append"},
		{"bash", `source ua.bash; COMP_CWORD=2; _ua ua-exec --unco; echo "${COMPREPLY[@]}"`, "--unconfined"},
		{"bash", `source ua.bash; COMP_CWORD=1; _ua ua gat; echo "${COMPREPLY[@]}"`, "gate"},
		{"fish", `source ua.fish; complete -C "ua-journal ap"`, "append"},
		{"fish", `source ua.fish; complete -C "ua --js"`, "--json"},
	} {
		cmd := exec.Command(c.shell, "-c", c.script)
		cmd.Env = environ(t)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%s: %s: %q, %v", c.shell, c.script, out, err)
		}
	}
}

func TestZsh(t *testing.T) {
	scripttest.Need(t, "zsh")
	cmd := exec.Command("zsh", "-f")
	cmd.Env = environ(t)
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		tty.Close()
		cmd.Process.Kill()
		cmd.Wait()
	}()
	screen := make(chan string, 1000)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if err != nil {
				close(screen)
				return
			}
			screen <- string(buf[:n])
		}
	}()
	tty.WriteString("PS1='ready''> '; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D\n")
	expect(t, screen, "ready> ")
	tty.WriteString("ua-journal app\t")
	expect(t, screen, "end ")
	tty.WriteString("\x15ua --net-al\t")
	expect(t, screen, "low ")
	tty.WriteString("\x15ua sandb\t")
	expect(t, screen, "ox ")
}

// expect waits until the terminal shows text.
func expect(t *testing.T, screen <-chan string, text string) {
	t.Helper()
	seen, limit := "", time.After(20*time.Second)
	for !strings.Contains(strings.ReplaceAll(seen, "\b", ""), text) {
		select {
		case s, ok := <-screen:
			if !ok {
				t.Fatalf("zsh ended; it showed %q", seen)
			}
			seen += s
		case <-limit:
			t.Fatalf("no %q on the screen: %q", text, seen)
		}
	}
}
