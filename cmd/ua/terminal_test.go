package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A terminal runs ua on a pseudo-terminal of its own.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	dir  string // the working folder
	home string
	seen string
	more chan string
}

func onTerminal(t *testing.T, answers string, args ...string) *terminal {
	t.Helper()
	return preparedTerminal(t, func(*terminal) {}, answers, args...)
}

// preparedTerminal is onTerminal where prepare has filled the working folder and the home.
func preparedTerminal(
	t *testing.T, prepare func(*terminal), answers string, args ...string,
) *terminal {
	t.Helper()
	bin, dir := scripttest.Bin(t), t.TempDir()
	os.WriteFile(filepath.Join(dir, "model"), []byte(answers+"\n"), 0o644)
	server := httptest.NewServer(modeltest.New(dir))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	x := &terminal{t: t, dir: dir, home: t.TempDir(), more: make(chan string, 1000)}
	prepare(x)
	x.cmd = exec.Command(filepath.Join(bin, "ua"), args...)
	x.cmd.Dir = dir
	x.cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+x.home,
		"XDG_STATE_HOME="+filepath.Join(x.home, "state"), "TERM=xterm",
		"NO_COLOR="+os.Getenv("TEST_NO_COLOR"),
		"ANTHROPIC_BASE_URL="+server.URL, "UA_MODEL=anthropic/fake",
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789")
	var err error
	if x.tty, err = pty.Start(x.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		x.tty.Close()
		x.cmd.Process.Kill()
		x.cmd.Wait()
		exec.Command("chmod", "-R", "u+rwX", x.home).Run() // overlayfs makes folders that nobody enters
	})
	go func() {
		defer close(x.more)
		buf := make([]byte, 4096)
		for {
			n, err := x.tty.Read(buf)
			if err != nil {
				return
			}
			x.more <- string(buf[:n])
		}
	}()
	return x
}

// expect waits until the screen shows text.
func (x *terminal) expect(text string) {
	x.t.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(x.seen, text) {
		select {
		case s, ok := <-x.more:
			if !ok {
				x.t.Fatalf("ua ended; no %q in %q", text, x.seen)
			}
			x.seen += s
		case <-limit:
			x.t.Fatalf("no %q in %q", text, x.seen)
		}
	}
}

// end waits for the end of ua and returns its exit status.
func (x *terminal) end() int {
	x.t.Helper()
	for limit, more := time.After(time.Minute), true; more; {
		select {
		case s, ok := <-x.more:
			x.seen, more = x.seen+s, ok
		case <-limit:
			x.t.Fatalf("no end after %q", x.seen)
		}
	}
	x.cmd.Wait()
	return x.cmd.ProcessState.ExitCode()
}

// TestTextStreams sees the first half of an answer before the second is sent, and behind
// what ua-think has to say.
func TestTextStreams(t *testing.T) {
	x := onTerminal(t, "text: the first half\nhang", "task")
	x.expect("the first half")
	if before, _, _ := strings.Cut(x.seen, "the first half"); !strings.Contains(before,
		"no price is") {
		t.Errorf("the note on the price comes into the answer: %q", x.seen)
	}
	x.tty.WriteString("\x03")
	x.end()
	if !strings.Contains(x.seen, "stopped by SIGINT") {
		t.Errorf("%q", x.seen)
	}
}

// TestMarkdown: an answer is rendered on a terminal as it comes; with NO_COLOR it is what the
// model wrote.
func TestMarkdown(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for noColor, want := range map[string]string{
		"":  "• \x1b[1mone\x1b[0m and \x1b[36mcode\x1b[0m\r\n",
		"1": "- **one** and `code`\r\n",
	} {
		t.Setenv("TEST_NO_COLOR", noColor)
		x := onTerminal(t, "pieces: 3\ntext: - **one** and `code`", "task")
		if x.end() != 0 || !strings.Contains(x.seen, want) {
			t.Errorf("NO_COLOR=%s: %q", noColor, x.seen)
		}
	}
}

func TestColoursAndTerminalControl(t *testing.T) {
	x := onTerminal(t, "text: \x1b]0;owned\x07 fine\ncall: ls\n---\ntext: done", "task")
	if code := x.end(); code != 0 || !strings.Contains(x.seen, "\x1b[36m❯\x1b[0m ls") ||
		strings.Contains(x.seen, "\x1b]0;") {
		t.Errorf("status %d, screen %q", code, x.seen)
	}
}

// TestAsk answers the gate's question on the terminal, either way.
func TestAsk(t *testing.T) {
	for _, c := range []struct {
		key    string
		exists bool
	}{{"y", true}, {"n", false}} {
		x := onTerminal(t, "call: touch made; rm -rf old\n---\ntext: done", "--ask", "task")
		x.expect("[y]")
		x.tty.WriteString(c.key + "\n")
		x.end()
		_, err := os.Stat(filepath.Join(x.dir, "made"))
		if (err == nil) != c.exists {
			t.Errorf("after %s: %v\n%s", c.key, err, x.seen)
		}
	}
}

// TestInterruptWhileAsked leaves nothing run and the run's last line written.
func TestInterruptWhileAsked(t *testing.T) {
	x := onTerminal(t, "call: touch made; rm -rf old\n---\ntext: done", "--ask", "task")
	x.expect("[y]")
	x.tty.WriteString("\x03")
	x.end()
	if _, err := os.Stat(filepath.Join(x.dir, "made")); err == nil {
		t.Error("the command ran")
	}
	if kept := journalOf(t, x.home); !strings.Contains(string(kept), `"type":"summary"`) {
		t.Errorf("%s\n%s", kept, x.seen)
	}
}

// TestUsedWhenEnded: an answer whose question the person answers with the end of the run
// is paid, whether all of it has come or not, and its other calls are answered.
func TestUsedWhenEnded(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q\n", "\x03"} {
		for _, model := range []string{"", "\nhang"} {
			x := onTerminal(t, "call: rm -rf old\ncall: echo more"+model+"\n---\ntext: done", "--ask",
				"task")
			x.expect("[y]")
			x.tty.WriteString(key)
			x.end()
			kept := string(journalOf(t, x.home))
			if strings.Contains(x.seen, " 0↑") || !strings.Contains(x.seen, "120↑") ||
				!strings.Contains(kept, `"tokens_in":120`) {
				t.Errorf("%q%q: %s\n%s", key, model, kept, x.seen)
			}
			if calls := strings.Count(kept, `"type":"tool_call"`); calls !=
				strings.Count(kept, `"type":"tool_result"`) {
				t.Errorf("%q%q: %d calls and not as many results: %s", key, model, calls, kept)
			}
		}
	}
}

// TestInterruptGroup: Ctrl-C reaches the gate that asks too, and whichever ends
// first, the person has ended the run and the command's result is kept. The end of the
// answer may still be on its way through the gate, and go with it.
func TestInterruptGroup(t *testing.T) {
	for range 12 {
		x := onTerminal(t, "call: echo begun; sleep 303\n---\ntext: never", "--ask", "task")
		x.expect("sleep 303")
		for !strings.Contains(string(journalOf(t, x.home)), `"type":"verdict"`) {
			time.Sleep(10 * time.Millisecond)
		}
		scripttest.Await(t, "the command", func() bool {
			return slices.ContainsFunc(descendants(x.cmd.Process.Pid),
				func(p process) bool { return p.name == "sleep 303" })
		})
		x.tty.WriteString("\x03")
		x.end()
		kept := journalOf(t, x.home)
		if ws := x.cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != syscall.SIGINT ||
			strings.Replace(letters(kept), " a ", " ", 1) !=
				"run system instruction t c v r summary" {
			t.Errorf("%v: %s\n%s", x.cmd.ProcessState, letters(kept), x.seen)
		}
	}
}

// TestAskPrivileged takes a typed "yes" for what leaves the sandbox.
func TestAskPrivileged(t *testing.T) {
	for _, c := range []struct {
		typed  string
		exists bool
	}{{"yes", true}, {"y", false}} {
		x := onTerminal(t, "call: touch inside\ncall: env -i PATH=/usr/bin:/bin setpriv "+
			"--no-new-privs touch made\n---\ntext: done", "--ask", "task")
		x.expect("yes") // the first, which writes, goes unasked
		x.tty.WriteString(c.typed + "\nn\n")
		x.end()
		_, err := os.Stat(filepath.Join(x.dir, "made"))
		if (err == nil) != c.exists {
			t.Errorf("after %q: %v\n%s\n%s", c.typed, err, x.seen, journalOf(t, x.home))
		}
		if _, err := os.Stat(filepath.Join(x.dir, "inside")); err != nil {
			t.Errorf("%v\n%s", err, x.seen)
		}
	}
}

// TestNoTerminalForCommands looks, while a command runs, at every process that
// belongs to the stages which run commands: none has a descriptor of the terminal,
// and none has it as the terminal that /dev/tty opens (proc(5), stat, tty_nr).
func TestNoTerminalForCommands(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, args := range [][]string{{"task"},
		{"--exec", "ua-sandbox --profile network -- ua-exec --profile-max network", "task"}} {
		x := onTerminal(t, "call: echo begun; sleep 303\n---\ntext: never", args...)
		var hands []process
		scripttest.Await(t, "the command", func() bool {
			hands = nil
			for _, p := range descendants(x.cmd.Process.Pid) {
				if is(p, "ua-sandbox") {
					hands = append(hands, descendants(p.pid)...)
				}
			}
			return slices.ContainsFunc(hands, func(p process) bool { return p.name == "sleep 303" })
		})
		for _, p := range hands {
			fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.pid))
			for _, fd := range fds {
				if to, _ := os.Readlink(fd); strings.HasPrefix(to, "/dev/pts/") ||
					strings.HasPrefix(to, "/dev/tty") || strings.HasPrefix(to, "/dev/console") {
					t.Errorf("%q: %s is %s", p.name, fd, to)
				}
			}
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
			fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
			// a line of the user's keeps it, for ssh's password
			if len(args) == 1 && len(fields) > 4 && fields[4] != "0" {
				t.Errorf("%q has the terminal %s", p.name, fields[4])
			}
		}
		x.tty.WriteString("\x03")
		x.end()
	}
}

// TestStageDrivesNoTerminal shows what a stage that runs commands says on stderr,
// and sends none of it as control sequences.
func TestStageDrivesNoTerminal(t *testing.T) {
	for _, way := range []struct{ option, program string }{
		{"--exec", "cat"}, {"--gate", "ua-gate"}, {"--think", "ua-think"},
	} {
		x := onTerminal(t, "text: done", way.option,
			`printf 'said \033]52;c;eA==\007\302\2332J\n' >&2; exec `+way.program, "task")
		if code := x.end(); code != 0 || !strings.Contains(x.seen, "said ^[]52;c;eA==^G<U+009B>2J") {
			t.Errorf("%s: status %d, screen %q", way.option, code, x.seen)
		}
	}
}

// TestEventsDriveNoTerminal prints events on a terminal: C1 controls and bidirectional
// ones need no escape in JSON.
func TestEventsDriveNoTerminal(t *testing.T) {
	x := onTerminal(t, "text: done \u009b2J\u202e", "--json", "task")
	if code := x.end(); code != 0 || strings.ContainsAny(x.seen, "\u009b\u202e") ||
		!strings.Contains(x.seen, "done <U+009B>2J<U+202E>") {
		t.Errorf("status %d, screen %q", code, x.seen)
	}
}

// TestThinking shows how long the model has been silent, and takes it away again.
func TestThinking(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"task"}, {"--ask", "task"}} {
		x := onTerminal(t, "pieces: 60\ndelay: 400ms\ntext: at last", args...)
		x.expect("… thinking ")
		x.expect("at last")
		x.end()
		if at := strings.Index(x.seen, "at last"); !strings.Contains(x.seen[:at], "\r\x1b[K") {
			t.Errorf("%q: %q", args, x.seen)
		}
	}
}

// TestOneWriter: what a stage says does not come into the line that shows the model's silence.
// TestThinkingAfterRetry: a request that failed and is sent again is waited for, too.
func TestThinkingAfterRetry(t *testing.T) {
	t.Parallel()
	x := onTerminal(t, "status: 503\npieces: 60\ndelay: 400ms\ntext: at last", "task")
	x.expect("trying again")
	x.expect("… thinking ")
	x.expect("at last")
	x.end()
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	x := onTerminal(t, "text: never asked", "task", "--think",
		"sleep 4; echo a note >&2; sleep 1; exec ua-think -q")
	x.expect("a note")
	if at := strings.Index(x.seen, "thinking "); at < 0 ||
		!strings.Contains(x.seen[at:], "\r\x1b[Ka note") {
		t.Errorf("%q", x.seen)
	}
	x.end()
}

// TestRunningCommand: a command that takes a while is shown with its time.
func TestRunningCommand(t *testing.T) {
	t.Parallel()
	x := onTerminal(t, "call: sleep 5\n---\ntext: done", "task")
	x.expect("❯ sleep 5 ▐ read_only  ") // with a number of seconds
	if code := x.end(); code != 0 || strings.Contains(x.seen, "thinking 3s") {
		t.Errorf("status %d, screen %q", code, x.seen)
	}
}

// TestRunningOutput: beside the time stands the newest line that the command has printed, without
// what drives a terminal, a secret or more than the line has room for.
func TestRunningOutput(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
	x := onTerminal(t, `call: printf '[ 47%%] one\n[ 48%%]\tlin\033[2Jking '; `+
		`printf 'key=`+secret+` '; printf 'x%.0s' {1..300}; sleep 5`+"\n---\ntext: done", "task")
	x.expect("s  [ 48%] lin")
	if code := x.end(); code != 0 || strings.Contains(x.seen, "\x1b[2J") {
		t.Errorf("status %d, screen %q", code, x.seen)
	}
	shown := x.seen[strings.Index(x.seen, "s  [ 48%]"):]
	if shown, _, _ = strings.Cut(shown, "\x1b"); len(shown) > 60 || strings.Contains(shown, "ghp_") {
		t.Errorf("%q", shown)
	}
}

// TestThinkingBeforeQuestion has taken the line away when a question comes, and shows none
// while the person is asked.
func TestThinkingBeforeQuestion(t *testing.T) {
	x := onTerminal(t,
		"pieces: 60\ndelay: 20ms\nthink: shall I push it?\ncall: git push\n---\ntext: done",
		"--ask", "task")
	x.expect("shall I push it?")
	x.expect("git push")
	x.expect("help > ")
	asked := strings.LastIndex(x.seen, "git push")
	before := x.seen[:asked]
	if !strings.Contains(before[strings.LastIndex(before, "shall I"):], "\r\x1b[K") {
		t.Errorf("the thought stands at the question: %q", x.seen)
	}
	scripttest.NothingFor(2 * time.Second) // two of the line's ticks
	x.tty.WriteString("n\r")
	x.expect("done")
	x.end()
	_, after, _ := strings.Cut(x.seen[asked:], "help > ")
	if question, _, _ := strings.Cut(after, "n"); strings.Contains(question, "\x1b[K") {
		t.Errorf("the question was drawn over: %q", x.seen)
	}
}

// TestThinkingText shows the end of what the model thinks, cut to the terminal's width
// and with nothing in it that drives the terminal, and takes it away again.
func TestThinkingText(t *testing.T) {
	x := onTerminal(t, "pieces: 60\ndelay: 20ms\nthink: first thought\\n\nthink: "+
		strings.Repeat("wide ", 40)+"\x1b]0;owned\x07\ntext: at last", "task")
	x.expect("at last")
	x.end()
	before, _, _ := strings.Cut(x.seen, "at last")
	for _, want := range []string{"s: first thought", "wide wide ^[]0;owned^G", "s: … "} {
		if !strings.Contains(before, want) {
			t.Errorf("no %q in %q", want, before)
		}
	}
	for line := range strings.SplitSeq(before, "\r\x1b[K") {
		if len([]rune(line)) > 80+len("\x1b[2m\x1b[0m") && strings.Contains(line, "wide") {
			t.Errorf("a line that wraps: %q", line)
		}
	}
	if !strings.HasSuffix(before, "\r\x1b[K") {
		t.Errorf("the thought stays: %q", before)
	}
}

// TestStageHoldsBack says what may be wrong with a stage that passes nothing on, or not the
// last line of an answer.
func TestStageHoldsBack(t *testing.T) {
	t.Parallel()
	for _, gate := range []string{"sleep 14; cat", `grep --line-buffered -v '"type":"response"'`} {
		t.Run(gate, func(t *testing.T) {
			t.Parallel()
			x := onTerminal(t, "text: done", "--time-limit", "20s", "--gate", gate, "task")
			x.expect("no output for 10s; does --gate flush each line (jq --unbuffered)?")
			x.end()
		})
	}
}
