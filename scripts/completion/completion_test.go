// Package completion holds the tests of the shells' completions, each in its
// real shell.
package completion

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ua/internal/common/scripttest"
)

func environ(t *testing.T) []string {
	return append(os.Environ(), "PATH="+scripttest.Bin(t)+":"+os.Getenv("PATH"), "HOME="+t.TempDir(),
		"TERM=dumb", "LC_ALL=C")
}

func TestBashAndFish(t *testing.T) {
	scripttest.Need(t, "bash", "fish")
	env := environ(t)
	journal := exec.Command(filepath.Join(scripttest.Bin(t), "ua-journal"), "new", "--task",
		"sum up: the logs")
	journal.Env = env
	out, err := journal.Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	for _, c := range []struct{ line, bash, fish string }{
		{"ua-journal ap", "append", "append"},
		{"ua-exec --unco", "--unconfined", "--unconfined\trun commands without ua-sandbox"},
		{"ua gat", "gate", "gate\tua-gate(1)"},
		{"ua gate che", "check", "check"},
		{"ua --js", "--json", "--json\t*"},
		{"ua resume " + id[:12], id, id + "\tdied: sum up: the logs"},
		{"ua-sandbox --profile read", "read-only", "read-only"},
		{"ua-gate hook cod", "codex", "codex"},
		{"ua-journal show la", "last", "last\tthe newest run"},
	} {
		bash := `source ua.bash; COMP_WORDS=(` + c.line +
			`); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _ua; echo "${COMPREPLY[@]}"`
		for _, sh := range []struct{ name, script, want string }{
			{"bash", bash, c.bash}, {"fish", `source ua.fish; complete -C "` + c.line + `"`, c.fish},
		} {
			cmd := exec.Command(sh.name, "-c", sh.script)
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			got := strings.TrimSpace(string(out))
			want, any := strings.CutSuffix(sh.want, "*")
			if err != nil || got != want && !(any && strings.HasPrefix(got, want)) {
				t.Errorf("%s: %s: %q, want %q, %v", sh.name, c.line, got, sh.want, err)
			}
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
