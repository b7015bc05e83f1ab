package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// tier returns the start of a command line of ua that runs commands at a tier of the
// sandbox.
func (p *place) tier(n, pids int) []string {
	cmd := p.command("ua-sandbox", "--tier", fmt.Sprint(n), "--quiet", "--", "true")
	if out, err := cmd.CombinedOutput(); err != nil {
		scripttest.Skip(p.t, scripttest.Refused, "tier %d: %v: %s", n, err, out)
	}
	return []string{"ua", "--exec", fmt.Sprintf("ua-sandbox --tier %d --pids %d --profile network "+
		"--quiet -- ua-exec --profile-max network --pids-max %[2]d", n, pids)}
}

// bomb starts itself twice, in a session of its own too, again and again.
const bomb = `#!/bin/bash
trap '' TERM HUP
while :; do setsid "$0" "$1" & "$0" "$1" & read -t 0.02 <> <(:); done 2>/dev/null
`

// nobody is a user of whom nothing else runs here, not even another run of these tests:
// the kernel counts all processes of a user against the limit of each.
var nobody = 61000 + os.Getpid()%4000

// TestFloodOfProcesses has a command fork without an end: its call ends, nothing of it is
// left, the next command runs, and the user's own processes can fork all the while. Root
// without a process namespace, whom no limit of the kernel's holds, is ua-exec's
// TestPidsMax.
func TestFloodOfProcesses(t *testing.T) {
	user := os.Getuid()
	if user == 0 {
		t.Run("root", func(t *testing.T) { flood(t, 0, 4) })
		t.Run("limit", func(t *testing.T) { flood(t, nobody, 0) })
		user = nobody
	}
	for _, tier := range []int{4, 3, 2} {
		t.Run(fmt.Sprint(tier), func(t *testing.T) { flood(t, user, tier) })
	}
}

// flood has a user's command do it at a tier of the sandbox, or at tier 0 where a limit
// of the user's own is all that bounds it.
func flood(t *testing.T, uid, tier int) {
	p := newPlace(t, uid)
	p.write("bomb", bomb)
	os.Chmod(filepath.Join(p.cwd, "bomb"), 0o700)
	word := fmt.Sprintf("flood-%d-%d-%d", os.Getpid(), uid, tier)
	p.calls("main.jsonl", "done", input{"command": "./bomb " + word, "timeout_ms": 1000},
		input{"command": "echo runs | cat"})
	args, editor := []string{"prlimit", "--nproc=400:400", "ua"}, []string{"sh", "-c", "true | true"}
	if tier == 0 {
		editor = append([]string{"prlimit", "--nproc=400:400"}, editor...)
	} else {
		args = p.tier(tier, 250)
	}
	as := func(args []string) *exec.Cmd {
		cmd := p.command(args...)
		if path, err := exec.LookPath(args[0]); err == nil {
			cmd.Path, cmd.Err = path, nil
		}
		return cmd
	}
	cmd := as(append(args, "task"))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	starved := ""
	for running := true; running; {
		select {
		case err := <-ended:
			if running = false; err != nil {
				t.Errorf("%v: %.3000s", err, said.Bytes())
			}
		default:
			if out, err := as(editor).CombinedOutput(); err != nil || len(out) > 0 {
				starved = fmt.Sprintf("%v: %s", err, out)
			}
		}
	}
	if starved != "" {
		t.Errorf("the user's own processes: %s", starved)
	}
	left := 0
	for _, q := range processes() {
		if strings.Contains(q.name, word) {
			left++
			syscall.Kill(q.pid, syscall.SIGKILL)
		}
	}
	if left > 0 {
		t.Errorf("%d processes are left", left)
	}
	list := p.outputs()
	if len(list) != 2 || !strings.Contains(list[1].Get("output").Str, "\nruns\n") {
		t.Errorf("%.1500s", fmt.Sprint(list))
	}
}

// TestFewProcesses runs ua where the user may have few processes: it does all, or it says
// in a line why it does nothing.
func TestFewProcesses(t *testing.T) {
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "the processes of this user are not known")
	}
	p := newPlace(t, nobody)
	p.recording("main.jsonl", "done", "echo runs | cat", "echo runs | cat")
	done := 0
	for n := 5; n < 200; n += n/4 + 1 {
		cmd := p.command("ua", "task")
		cmd.Args = append([]string{"prlimit", fmt.Sprintf("--nproc=%d:%[1]d", n)}, cmd.Args...)
		cmd.Path, cmd.Err = "/usr/bin/prlimit", nil
		out, _ := cmd.CombinedOutput()
		switch status := cmd.ProcessState.ExitCode(); {
		case status == 75 && strings.Count(string(out), "\n") == 2 &&
			strings.Contains(string(out), "hint: ua needs about"):
		case status == 0 && strings.Count(fmt.Sprint(p.outputs()), "runs") == 2:
			done++
		default:
			t.Errorf("%d processes: status %d: %s", n, status, out)
		}
	}
	if done == 0 {
		t.Error("no run was done")
	}
}

// manyThreads has as many threads as its argument says, and tells when they run.
const manyThreads = `import sys, threading
threading.stack_size(65536)
for i in range(int(sys.argv[1])):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("up", flush=True)
sys.stdin.read()
`

// TestBusyUser runs ua for a user who runs more besides than the commands may have: by
// default, at each tier of the sandbox by a bound of the settings, and by one of theirs that
// leaves no room, which is said in a line.
func TestBusyUser(t *testing.T) {
	scripttest.Need(t, "python3")
	user := os.Getuid()
	if user == 0 {
		user = nobody
	}
	p := newPlace(t, user)
	busy := p.command("sh", "-c", `exec python3 -c "$0" 4100`, manyThreads)
	busy.Path, busy.Err = "/bin/sh", nil
	in, err := busy.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	up, err := busy.StdoutPipe()
	if err == nil {
		err = busy.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Wait()
	defer in.Close()
	if n, err := up.Read(make([]byte, 3)); err != nil {
		scripttest.Skip(t, scripttest.Refused, "no 4100 threads: %d, %v", n, err)
	}
	p.recording("main.jsonl", "done", "echo runs | cat")
	did := func(how string, args ...string) {
		t.Helper()
		_, errs, status := p.run(args...)
		if status != 0 || !strings.Contains(fmt.Sprint(p.outputs()), `\nruns\n`) {
			t.Errorf("%s: status %d, %.500s", how, status, errs)
		}
	}
	did("default", "ua", "task")
	for n := 4; n >= 2; n-- {
		if p.command("ua-sandbox", "--tier", fmt.Sprint(n), "--quiet", "--", "true").Run() == nil {
			did(fmt.Sprintf("tier %d", n), append(p.tier(n, 250), "task")...)
		}
	}
	p.env = append(p.env, "GOGC=1") // Go's runtime then needs most of its threads at once
	for range 5 {
		out, errs, status := p.run("ua-sandbox", "--quiet", "--ulimit", "nproc=4100", "--",
			"echo", "ran")
		if status != 75 || out != "" || strings.Count(errs, "\n") != 2 ||
			!strings.Contains(errs, "too few") {
			t.Errorf("no room: status %d, %s%.500s", status, out, errs)
		}
	}
}

// descriptorsUnderWay sends as many descriptors as the user may have on their way, and keeps
// them there.
const descriptorsUnderWay = `import array, socket, sys
kept = []
try:
    while True:
        a, b = socket.socketpair()
        kept.append((a, b))
        a.setblocking(False)
        try:
            while True:
                a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                    array.array("i", [0] * 253))])
        except BlockingIOError:
            pass
except OSError as err:
    print(err.errno, flush=True)
sys.stdin.read()
`

// TestFloodOfDescriptors has a program of the user's use up what sandboxes take to be made,
// which nobody can have for a moment: none of them is a weaker one for that.
func TestFloodOfDescriptors(t *testing.T) {
	scripttest.Need(t, "python3")
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "it would be in the way of other tests of this user")
	}
	p := newPlace(t, nobody+1)
	p.tier(4, 100)
	flood := p.command("sh", "-c", `exec python3 -c "$0"`, descriptorsUnderWay)
	flood.Path, flood.Err = "/bin/sh", nil
	in, err := flood.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	up, err := flood.StdoutPipe()
	if err == nil {
		err = flood.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer flood.Wait()
	defer in.Close()
	why, _ := bufio.NewReader(up).ReadString('\n')
	if why != fmt.Sprintf("%d\n", syscall.ETOOMANYREFS) {
		scripttest.Skip(t, scripttest.Refused, "no bound on descriptors: %s", why)
	}
	out, errs, status := p.run("ua-sandbox", "--profile", "network", "--", "sh", "-c",
		"echo $UA_SANDBOX")
	if out != "" || status != 75 || !strings.Contains(errs, "hint: your other programs") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

// TestFloodOfCalls has the model call for 1,000 commands in one answer: no more run than
// one answer may have.
func TestFloodOfCalls(t *testing.T) {
	p := newPlace(t, os.Getuid())
	var calls []string
	for i := range 1000 {
		calls = append(calls, fmt.Sprintf(
			`{"type":"tool_use","id":"c%d","name":"shell","input":{"command":"echo x >>ran"}}`, i))
	}
	p.write("main.jsonl",
		`{"type":"response","model":"m","stop_reason":"tool_use","content":[`+
			strings.Join(calls, ",")+"]}\n")
	_, errs, status := p.run("ua", "task")
	ran, _ := os.ReadFile(filepath.Join(p.cwd, "ran"))
	if n := strings.Count(string(ran), "x"); n == 0 || n > 64 || status != 124 ||
		!strings.Contains(errs, "limit of 64 commands in one answer") || len(p.outputs()) != 1000 {
		t.Errorf("%d ran, %d results, status %d, %.500s", n, len(p.outputs()), status, errs)
	}
}

// TestFloodOfOutput has commands print more than the disk holds on which the journal is:
// the run goes on.
func TestFloodOfOutput(t *testing.T) {
	scripttest.Need(t, "unshare")
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%s", out)
	}
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "seq 3000000",
		"yes | head -c 20000000; yes | head -c 20000000 >&2", "echo runs")
	cmd := exec.Command("unshare", "-rm", "sh", "-c", `mkdir -p "$HOME/.local/state" && `+
		`mount -t tmpfs -o size=8m tmpfs "$HOME/.local/state" || exit 77; `+
		`ua task && ua-journal cat last`)
	cmd.Dir, cmd.Env = p.cwd, p.env
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		scripttest.Skip(t, scripttest.Refused, "no mounts: %s", out)
	}
	if text := string(out); cmd.ProcessState.ExitCode() != 0 ||
		strings.Count(text, "file_error") != 2 || !strings.Contains(text, `\nruns\n`) {
		t.Errorf("%v: %.2000s", cmd.ProcessState, out)
	}
}
