package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A course is where a race is run.
type course struct {
	t              *testing.T
	bin, home, cwd string
}

func newCourse(t *testing.T, commands ...string) *course {
	scripttest.NeedTries(t)
	dir := t.TempDir()
	c := &course{t, scripttest.Bin(t), filepath.Join(dir, "home"), filepath.Join(dir, "work")}
	os.Mkdir(c.home, 0o700)
	os.Mkdir(c.cwd, 0o700)
	os.WriteFile(filepath.Join(c.cwd, "file"), []byte("as before\n"), 0o600)
	var text strings.Builder
	for i, command := range commands {
		input, _ := json.Marshal(map[string]string{"command": command})
		fmt.Fprintf(&text, `{"type":"response","model":"m","stop_reason":"tool_use","usage":`+
			`{"input":400,"output":100},"content":[{"type":"tool_use","id":"c%d","name":"shell",`+
			`"input":%s}]}`+"\n", i, input)
	}
	text.WriteString(`{"type":"response","model":"m","stop_reason":"end_turn",` +
		`"content":[{"type":"text","text":"done"}]}` + "\n")
	os.WriteFile(filepath.Join(c.home, "main.jsonl"), []byte(text.String()), 0o600)
	return c
}

func (c *course) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, args[0]), args[1:]...)
	cmd.Dir, cmd.Env = c.cwd, []string{"HOME=" + c.home, "PATH=" + c.bin + ":" + os.Getenv("PATH"),
		"UA_MODEL=replay:" + filepath.Join(c.home, "main.jsonl")}
	return cmd
}

// state is all that is in the folder.
func (c *course) state() string {
	out, _ := exec.Command("sh", "-c", "cd '"+c.cwd+"' && grep -r '' . | sort").CombinedOutput()
	return string(out)
}

// tries are those that are left.
func (c *course) tries() string {
	out, _ := c.command("ua-try", "ls").Output()
	return string(out)
}

// first is a command that makes each run different: the first to make the folder is fast.
const first = `n=$(od -An -N4 -tu4 /dev/urandom | tr -d ' '); echo $n >who; ` +
	`mkdir d; for i in 1 2 3 4 5 6 7 8; do echo $n >d/$i; done; echo $n >file; ` +
	`sleep $((n % 3)).$((n % 7))`

// whole reports whether the folder is that of one run.
func whole(state string) bool {
	lines := strings.Split(strings.TrimSpace(state), "\n")
	if len(lines) != 10 {
		return false
	}
	_, who, _ := strings.Cut(lines[9], ":")
	for _, l := range lines {
		if !strings.HasSuffix(l, ":"+who) {
			return false
		}
	}
	return true
}

func TestRace(t *testing.T) {
	t.Parallel()
	c := newCourse(t, first)
	cmd := c.command("ua", "race", "-n", "3", "--until", "test -e who", "task")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil || out.String() != "done\n" || !whole(c.state()) {
		t.Fatalf("%v: %s%s%s", err, &out, &said, c.state())
	}
	if left := strings.TrimSpace(c.tries()); strings.Count(left, "\n") > 0 ||
		!strings.Contains(left, "applied") {
		t.Errorf("tries are left: %s", left)
	}
	if text, _ := c.command("ua-journal", "cat", "last").Output(); !strings.Contains(string(text),
		`"passed":true`) {
		t.Errorf("the last run is not the winner: %s", text)
	}
	if text, _ := c.command("ua", "tree", "last").Output(); strings.Count(string(text), "\n") != 4 {
		t.Errorf("where the others are: %s", text)
	}

	c = newCourse(t, first)
	before := c.state()
	for _, args := range [][]string{
		{"1", "--tries", "1", "--until", "false", "task"},
		{"2", "task"}, {"2", "--atomic", "task"}, {"2", "-n", "0", "task"}, {"2"},
	} {
		cmd := c.command(append([]string{"ua-race"}, args[1:]...)...)
		text, _ := cmd.CombinedOutput()
		if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != args[0] || c.state() != before {
			t.Errorf("%q: status %s\n%s%s", args, got, text, c.state())
		}
		if left := strings.TrimSpace(c.tries()); left != "" {
			t.Errorf("%q: tries are left: %s", args, left)
		}
	}

	// Runs that nothing could prove end when they begin, not when their work is done.
	c = newCourse(t, "echo >begun; sleep 1000")
	cmd = c.command("ua-race", "task")
	text, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 2 ||
		!strings.Contains(string(text), "--until COMMAND adds one") {
		t.Errorf("without a check: status %d\n%s", status, text)
	}
}

// TestBudget: the runs have one budget together, which none has used up alone.
func TestBudget(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	m := modeltest.New(t.TempDir())
	os.WriteFile(filepath.Join(m.Dir, "model"), []byte(strings.Repeat("call: echo >>f\n---\n", 300)+
		"text: done\n"), 0o600)
	server := httptest.NewServer(m)
	defer server.Close()
	cmd := c.command("ua-race", "--budget-tokens", "2000", "--until", "true", "task")
	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+server.URL, "UA_MODEL=anthropic/fake",
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789")
	before := c.state()
	text, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 124 || c.state() != before ||
		!strings.Contains(string(text), "ua-race: the budget is used up") {
		t.Errorf("status %d\n%s%s", status, text, c.state())
	}
	if left := strings.TrimSpace(c.tries()); left != "" {
		t.Errorf("tries are left: %s", left)
	}
}

// TestKilled: killed at any moment, a race leaves the folder as it was or as the winner had it.
func TestKilled(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		c := newCourse(t, first)
		before := c.state()
		cmd := c.command("ua-race", "-n", "3", "--until", "test -e who", "task")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Start()
		time.Sleep(time.Duration(rand.IntN(1000+i*200)) * time.Millisecond)
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		scripttest.Await(t, "the end of what it had begun", func() bool {
			out, _ := exec.Command("pgrep", "-f", c.cwd).Output()
			state := c.state()
			return len(out) == 0 && (state == before || whole(state))
		})
	}
}
