package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// A pane is a window of tmux(1) with a shell and its agent: what a person sees.
type pane struct {
	t      *testing.T
	server string
}

func newPane(t *testing.T, shell, answers string) *pane {
	t.Helper()
	return newPaneOf(t, "80", shell, answers)
}

func newPaneOf(t *testing.T, columns, shell, answers string) *pane {
	t.Helper()
	scripttest.Need(t, "tmux", shell)
	url, _ := serve(t, answers)
	home := t.TempDir()
	for name, rc := range map[string]string{
		".bashrc": "PS1='$ '\n", ".zshrc": "PS1='$ '\n",
		".config/fish/config.fish": "set -g fish_greeting\nfunction fish_prompt; printf '$ '; end\n",
	} {
		os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755)
		os.WriteFile(filepath.Join(home, name), []byte(rc), 0o644)
	}
	work := filepath.Join(home, "work")
	os.Mkdir(work, 0o755)
	p := &pane{t, filepath.Join(home, "tmux")}
	cmd := p.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", "24", "-c", work,
		filepath.Join(scripttest.Bin(t), "ua-shell")+" --shell "+shell)
	cmd.Env = []string{"HOME=" + home, "TERM=xterm-256color", "LANG=C.UTF-8",
		"PATH=" + scripttest.Bin(t) + ":" + os.Getenv("PATH"),
		"XDG_RUNTIME_DIR=" + home, "SHELL=/bin/sh", "ANTHROPIC_BASE_URL=" + url,
		"UA_MODEL=anthropic/fake", "ANTHROPIC_API_KEY=sk-ant-test-key-0123456789"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		p.tmux("send-keys", "C-u", "exit", "Enter").Run()
		for end := time.Now().Add(10 * time.Second); p.tmux("has-session").Run() == nil &&
			time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		p.tmux("kill-server").Run()
	})
	return p
}

func (p *pane) tmux(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", p.server}, args...)...)
}

// screen is the lines of the pane, without the empty ones at its end.
func (p *pane) screen() string {
	out, _ := p.tmux("capture-pane", "-p").Output()
	return strings.TrimRight(string(out), "\n ")
}

// shows waits until the screen ends with the text.
func (p *pane) shows(end string) {
	p.t.Helper()
	for limit := time.Now().Add(patience); !strings.HasSuffix(p.screen(),
		end); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatalf("the screen does not end with %q:\n%s", end, p.screen())
		}
	}
}

func (p *pane) keys(keys ...string) { p.tmux(append([]string{"send-keys"}, keys...)...).Run() }

// What a person sees of an answer and of a question with a denial, line by line.
func TestScreen(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		p := newPane(t, shell, "text: I look.\\nFirst here.\ncall: pwd -P\n---\ntext: This is "+
			"work.\n---\ncall: touch made\n---\ntext: Not made, then.")
		p.shows("\n$")
		p.keys("# where am I?", "Enter")
		p.shows("s\n$")
		p.keys("# make it", "Enter")
		p.shows("[?] help >")
		p.keys("n")
		p.shows("s\n$")
		home := filepath.Dir(p.server)
		want := []string{
			"# asks the agent. No sandbox: commands that only read run, others ask first.",
			"$ # where am I?",
			"I look.\\nFirst here.",
			"❯ pwd -P ▐ read_only",
			home + "/work",
			"This is work.",
			"240↑ 30↓ 1 cmd N",
			"$ # make it",
			"❯ touch made ▐ write",
			"⚠ touch makes made",
			"  [y] run [n] skip [a] allow touch for the session",
			"  [e] edit [v] view [q] quit [?] help > n",
			"Not made, then.",
			"240↑ 30↓ 0 cmds N",
			"$",
		}
		got := strings.Split(p.screen(), "\n")
		for i, line := range got {
			if at := strings.LastIndexByte(line, ' '); strings.Contains(line, "↓ ") {
				got[i] = line[:at] + " N"
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the screen is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
