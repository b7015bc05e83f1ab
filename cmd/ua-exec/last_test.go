package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/jobs"
)

// lastCalls is calls of each kind, and the last line has no end.
func lastCalls(n int) string {
	var b strings.Builder
	for i := range n {
		k := task{command: fmt.Sprintf("echo %d", i)}
		input, risk, verdict := "", "write", true
		switch i % 5 {
		case 1, 2:
			risk = "read_only"
		case 3:
			input = `,"background":true`
		case 4:
			verdict = i%2 == 0
		}
		fmt.Fprintf(&b, `{"type":"tool_call","id":"c%d","name":"shell","input":{"command":%s%s}}`+"\n",
			i, event.AppendString(nil, k.command), input)
		if verdict {
			fmt.Fprintf(&b, `{"type":"verdict","call_id":"c%d","risk":%q,"decision":"allow",`+
				`"profile":"workspace"}`+"\n", i, risk)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// answered checks that each call that has come out has one result, after it.
func answered(t *testing.T, out []string) (calls int) {
	t.Helper()
	open := map[string]bool{}
	for _, line := range out {
		e := gjson.Parse(line)
		switch e.Get("type").Str {
		case "tool_call":
			open[e.Get("id").Str] = true
			calls++
		case "tool_result":
			if id := e.Get("call_id").Str; !open[id] {
				t.Errorf("a result without a call, or a second one: %s", line)
			} else {
				delete(open, id)
			}
		}
	}
	for id := range open {
		t.Errorf("no result for %s of %d calls", id, calls)
	}
	return calls
}

// TestLastCalls has calls arrive together with the end of the input: each has a result.
func TestLastCalls(t *testing.T) {
	for n := 1; n <= 20; n++ {
		cmd := uaExec(t, "--unconfined", "--jobs", "4")
		cmd.Stdin = strings.NewReader(lastCalls(n))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := answered(t, strings.Split(string(out), "\n")); got != n {
			t.Errorf("%d calls of %d have come out", got, n)
		}
	}
}

// TestLastCallsSignal ends the run while calls arrive: each that has come out has a
// result.
func TestLastCallsSignal(t *testing.T) {
	for n := range 20 {
		cmd := uaExec(t, "--unconfined", "--jobs", "4")
		cmd.Stdin = strings.NewReader(lastCalls(40))
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var out []string
		for r := bufio.NewScanner(stdout); r.Scan(); {
			if out = append(out, r.Text()); len(out) == n+1 {
				cmd.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGINT}[n%2])
			}
		}
		cmd.Wait()
		answered(t, out)
	}
}

// TestLastJobs has programs start jobs while the run ends: of each that was started, the
// record says how it has ended.
func TestLastJobs(t *testing.T) {
	for round := range 10 {
		dir := t.TempDir()
		args := []string{"--unconfined", "--dir", dir, "--grace", "100ms"}
		if round%2 == 1 {
			args = append(args, "--linger")
		}
		l := start(t, args...)
		l.send(task{command: "echo", verdict: `,"delegates":true`})
		l.next("tool_result")
		var all sync.WaitGroup
		first := make(chan bool, 8)
		for range cap(first) {
			all.Go(func() {
				for n := 0; n < 8 && startsJob(dir); n++ {
					select {
					case first <- true:
					default:
					}
				}
			})
		}
		<-first
		l.stdin.Close()
		l.cmd.Wait()
		all.Wait()
		records, _ := filepath.Glob(filepath.Join(dir, "*"+jobs.Suffix))
		for _, path := range records {
			b, _ := os.ReadFile(path)
			if r := gjson.ParseBytes(b); r.Get("state").Str != jobs.Ended {
				t.Errorf("round %d, %d jobs: %s", round, len(records), b)
			}
		}
		if len(records) == 0 {
			t.Error("no job was started")
		}
	}
}

// startsJob asks for a job as a program outside of the run does, and says whether it was
// started.
func startsJob(dir string) bool {
	conn, err := net.Dial("unix", filepath.Join(dir, jobs.Socket))
	if err != nil {
		return false
	}
	defer conn.Close()
	line, _ := json.Marshal(jobs.Request{Do: "start", Command: "sleep 0.1", Dir: dir})
	fmt.Fprintf(conn, "%s\n", line)
	in := bufio.NewReader(conn)
	create, _ := in.ReadString('\n')
	os.WriteFile(filepath.Join(dir, gjson.Get(create, "create").Str), nil, 0o600)
	io.WriteString(conn, "\n")
	answer, _ := in.ReadString('\n')
	return gjson.Get(answer, "job").Exists()
}
