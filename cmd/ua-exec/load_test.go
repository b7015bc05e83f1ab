package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestThousandsOfCommands runs 3,000 short commands, and then looks at what ua-exec
// holds: as many descriptors, threads and processes as after the first hundred.
func TestThousandsOfCommands(t *testing.T) {
	if testing.Short() {
		scripttest.Skip(t, scripttest.Short, "thousands of commands, or minutes of load")
	}
	l := start(t, "--unconfined", "--calls-max", "0")
	pid := 0
	held := func() string {
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, threads, _ := strings.Cut(string(status), "Threads:")
		threads, _, _ = strings.Cut(threads, "\n")
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		return fmt.Sprintf("%d descriptors, %s threads, children %q", len(fds),
			strings.TrimSpace(threads), children)
	}
	run := func(n int) {
		sent := make(chan bool)
		go func() {
			defer close(sent)
			twenty := slices.Repeat([]task{{command: ":"}}, 20)
			for i, command := range map[int]string{9: "setsid true &", 11: "echo a | cat",
				17: "exit 1 | false", 18: "(true &)"} {
				twenty[i].command = command
			}
			text, id := lines(twenty...), regexp.MustCompile(`"c(\d)`)
			for i := range n / 20 { // each has an ID of its own
				io.WriteString(l.stdin, id.ReplaceAllString(text, fmt.Sprintf(`"%d-c$1`, i)))
			}
		}()
		for i := range n {
			if r := l.next("tool_result"); r.Get("status").Str != "run" {
				t.Fatalf("call %d: %s", i, r.Raw)
			}
		}
		<-sent
	}
	run(100)
	l.send(task{command: "sleep 0.5"}) // the spare threads are made
	l.next("tool_result")
	pid = worker(l.cmd.Process.Pid)
	before := held()
	run(3000)
	var after string
	until(t, "it holds as much as before", func() bool {
		after = held()
		return roughly(before, after)
	})
	t.Logf("before: %s; after: %s", before, after)
}

// roughly says whether after holds no more than before, but for a few threads,
// which the runtime starts as it sees fit, and the folder of outputs, which is
// held once it is made.
func roughly(before, after string) bool {
	var fds, threads, fds2, threads2 int
	var children, children2 string
	fmt.Sscanf(before, "%d descriptors, %d threads, children %q", &fds, &threads, &children)
	fmt.Sscanf(after, "%d descriptors, %d threads, children %q", &fds2, &threads2, &children2)
	return fds2 <= fds+1 && threads2 <= threads+4 && children2 == children
}

// TestGigabyte has a command print 1 GiB: the result is small, the file holds
// what it may, and memory stays bounded.
func TestGigabyte(t *testing.T) {
	if testing.Short() {
		scripttest.Skip(t, scripttest.Short, "thousands of commands, or minutes of load")
	}
	const size, limit = 1 << 30, 100 << 20
	// A new program's peak begins with that of who starts it: this process's, which earlier tests
	// may have made grow, is set back (proc(5), clear_refs).
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log(err)
	}
	cmd := uaExec(t, "--unconfined", "--file-max", fmt.Sprint(limit))
	r := feed(t, cmd, task{command: fmt.Sprintf("yes 'a line of text that says nothing much' | "+
		"head -c %d", size)})[0]
	if r.Get("bytes").Int() != size || len(r.Raw) > 70000 || r.Get("exit_code").Int() != 0 {
		t.Errorf("%d bytes seen, %d in the result", r.Get("bytes").Int(), len(r.Raw))
	}
	if info, err := os.Stat(r.Get("file").Str); err != nil || info.Size() != limit {
		t.Errorf("the file: %v, %v", info, err)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	t.Logf("peak memory of the largest process: %d kB", peak)
	if peak > 64<<10 {
		t.Errorf("peak memory: %d kB", peak)
	}
}

// TestReadAhead has many lines wait behind a command: they come out after it,
// in order and whole.
func TestReadAhead(t *testing.T) {
	var in strings.Builder
	in.WriteString(lines(task{command: "sleep 0.3"}))
	filler := strings.Repeat("x", 10000)
	for i := range 3000 {
		fmt.Fprintf(&in, `{"type":"delta","n":%d,"text":%q}`+"\n", i, filler)
	}
	cmd := uaExec(t, "--unconfined")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(string(out), "\n")
	want := strings.SplitAfter(in.String(), "\n")
	if gjson.Get(got[2], "type").Str != "tool_result" ||
		strings.Join(append(got[:2:2], got[3:]...), "") != strings.Join(want, "") {
		t.Error("lines are lost or changed")
	}
}
