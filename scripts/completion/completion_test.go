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

	"ua/internal/test/scripttest"
)

func environ(t *testing.T) []string {
	return append(os.Environ(), "PATH="+scripttest.Bin(t)+":"+os.Getenv("PATH"), "HOME="+t.TempDir(),
		"TERM=dumb", "LC_ALL=C")
}

// home returns the HOME of an environment.
func home(env []string) (dir string) {
	for _, v := range env {
		if path, ok := strings.CutPrefix(v, "HOME="); ok {
			dir = path
		}
	}
	return dir
}

func TestBashAndFish(t *testing.T) {
	scripttest.Need(t, "bash", "fish")
	env := environ(t)
	settings := home(env) + "/.config/ua"
	if err := os.MkdirAll(settings+"/profiles", 0o700); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(settings+"/profiles/tight.toml", nil, 0o600)
	os.WriteFile(settings+"/config.toml", []byte("[alias]\nquick = \"ollama/q\"\n"), 0o600)
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
		{"ua resume " + id[:12], id, id + "\tfailed: sum up: the logs"},
		{"ua-sandbox --profile read", "read-only", "read-only"},
		{"ua-gate hook cod", "codex", "codex"},
		{"ua-journal show la", "last", "last\tthe newest run"},
		{"ua --agent=pl", "--agent=plan", "--agent=plan\t*"},
		{"ua-think --model qu", "quick", "quick"},
		{"ua --profile n", "network", "network"},
		{"ua-sandbox --profile=ti", "--profile=tight", "--profile=tight"},
		{"ua-shell --sandbox w", "workspace", "workspace"},
		{"ua --isolate in", "in_process", "in_process"},
		{"ua config in", "init", "init"},
		{"ua help recal", "recall", "recall"},
		{"ua-journal index sl", "slow", "slow"},
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

// TestFiles offers files where nothing else may stand, and only there.
func TestFiles(t *testing.T) {
	scripttest.Need(t, "bash", "fish")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env, dir := environ(t), t.TempDir()
	for _, name := range []string{"codex.txt", "plain.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"ua-gate hook code": "codex", "ua -a pla": "plain.txt",
	} {
		for sh, script := range map[string]string{
			"fish": "source " + here + `/ua.fish; complete -C "` + line + `"`,
			// With -o default a Tab offers files where the function has found nothing.
			"bash": "source " + here + "/ua.bash; COMP_WORDS=(" + line + `); COMP_CWORD=2; _ua
				set -- "${COMPREPLY[@]}"; [ $# != 0 ] || set -- $(compgen -f "${COMP_WORDS[2]}"); echo "$@"`,
		} {
			cmd := exec.Command(sh, "-c", script)
			cmd.Env, cmd.Dir = env, dir
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("%s: %s: %q, want %q, %v", sh, line, got, want, err)
			}
		}
	}
}

// TestTries completes the tries of a user, in each shell.
func TestTries(t *testing.T) {
	scripttest.Need(t, "bash", "fish", "zsh")
	env, dir := environ(t), t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env, cmd.Dir = env, dir
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, stderr.String())
		}
		return strings.TrimSpace(string(out))
	}
	bin := scripttest.Bin(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	run("touch", dir+"/goes")
	run(bin+"/ua-try", "--quiet", "--", "sh", "-c", "mkdir sub; echo x >sub/comes; rm goes; >'a b'")
	id := strings.Fields(run(bin+"/ua-try", "ls"))[0]
	about := "\tkept: sh -c mkdir sub; echo x >sub/comes; rm goes; >'a b'"
	for _, c := range []struct{ line, bash, fish string }{
		{"ua-try dro", "drop", "drop"},
		{"ua-try diff --name", "--name-status",
			"--name-status\twith diff: print A, M, D, T or R and the path of each file"},
		{"ua-try apply " + id[:10], id, id + about},
		{"ua try undo --force " + id[:10], id, id + about},
		{"ua-try drop " + id + " la", "last", "last\tthe newest try"},
		{"ua-try -- go", "goes", "goes"}, // the shell's own
	} {
		own := c.line == "ua-try -- go"
		bash := run("bash", "-c", "source "+here+"/ua.bash; COMP_WORDS=("+c.line+
			`); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _ua; echo "${COMPREPLY[@]}"`)
		if bash != c.bash && !own || own && bash != "" {
			t.Errorf("bash: %s: %q, want %q", c.line, bash, c.bash)
		}
		fish := run("fish", "-c", "source "+here+`/ua.fish; complete -C "`+c.line+`"`)
		if fish != c.fish && !own {
			t.Errorf("fish: %s: %q, want %q", c.line, fish, c.fish)
		}
	}
	tty, screen := zsh(t, env, dir, here)
	for _, c := range []struct{ typed, shown string }{
		{"ua-try app\t", "ly "}, {"ua-try diff " + id[:10] + "\t", id[10:] + " "},
		{"ua-try drop la\t", "st "},
	} {
		tty.WriteString("\x15" + c.typed)
		expect(t, screen, c.shown)
	}
}

func TestZsh(t *testing.T) {
	scripttest.Need(t, "zsh")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tty, screen := zsh(t, environ(t), here, here)
	tty.WriteString("ua-journal app\t")
	expect(t, screen, "end ")
	tty.WriteString("\x15ua --net-al\t")
	expect(t, screen, "low ")
	tty.WriteString("\x15ua sandb\t")
	expect(t, screen, "ox ")
}

// zsh starts one in a folder on a terminal, with the completions of another folder.
func zsh(t *testing.T, env []string, dir, completions string) (*os.File, <-chan string) {
	cmd := exec.Command("zsh", "-f")
	cmd.Env, cmd.Dir = env, dir
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tty.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
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
	tty.WriteString("PS1='ready''> '; fpath=(" + completions + " $fpath); autoload -U compinit; " +
		"compinit -u -D\n")
	expect(t, screen, "ready> ")
	return tty, screen
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
