package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDirMax has commands print more than the folder of outputs may hold.
func TestDirMax(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--unconfined", "--dir", dir, "--output-max", "1024", "--dir-max", "40000"}
	flood := task{command: "seq 5000"} // 23,893 bytes
	list := results(t, args, flood, flood, flood)
	var sum int64
	names, err := filepath.Glob(dir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	if sum > 40000 || len(names) != 2 {
		t.Errorf("%d bytes in %q", sum, names)
	}
	if r := list[0]; r.Get("file").Str == "" || r.Get("file_error").Exists() {
		t.Errorf("the first: %s", r.Raw)
	}
	if r := list[2]; r.Get("file").Exists() || !strings.Contains(r.Get("file_error").Str,
		"--dir-max") {
		t.Errorf("the third: %s", r.Raw)
	}
}

// TestQueue reads ahead no further than its bound, and hurries past it.
func TestQueue(t *testing.T) {
	q := newQueue()
	q.max = itemBytes + 10
	q.put(item{line: make([]byte, 20)})
	put := make(chan bool)
	go func() { q.put(item{line: []byte("x")}); close(put) }()
	select {
	case <-put:
		t.Error("the bound does not hold")
	case <-time.After(20 * time.Millisecond):
	}
	if _, ok := q.take(); !ok {
		t.Error("nothing is there")
	}
	<-put
	q.put(item{line: make([]byte, 20)})
	q.hurry()
	q.put(item{line: []byte("y")})
	q.close()
	q.put(item{line: []byte("late")})
	n := 0
	for it, ok := q.take(); ok; it, ok = q.take() {
		if n++; string(it.line) == "late" {
			t.Error("taken up after the end")
		}
	}
	if n != 3 {
		t.Errorf("%d items", n)
	}
}

// TestPidsMax has a command, and one in the background, start more processes than it may,
// which the kernel bounds for none that is root: it is ended with all of them.
func TestPidsMax(t *testing.T) {
	word := strings.TrimPrefix(sleeper(72), "sleep ")
	many := "for i in $(seq 60); do setsid sleep " + word + " & done; wait"
	l := start(t, "--unconfined", "--pids-max", "40")
	l.send(task{command: many})
	r := l.next("tool_result")
	if r.Get("limit").Str != "pids" || r.Get("signal").Str != "SIGKILL" ||
		r.Get("running").Exists() ||
		!strings.Contains(text(r), "more than 40 processes and threads") {
		t.Error(r.Raw)
	}
	if left := alive(word); left != nil {
		t.Errorf("%d processes are left", len(left))
	}
	l.send(task{command: many, input: `,"background":true`})
	l.next("tool_result")
	until(t, "the background command is ended", func() bool { return alive(word) == nil })
	l.send(task{command: "echo runs"})
	if r := l.next("tool_result"); !strings.HasPrefix(text(r), "runs") ||
		!strings.Contains(r.Get("background_ended").Raw, `"exit_code":137`) {
		t.Error(r.Raw)
	}
}

// TestNoLog has no file take what a command prints after its result: the result says that
// it is lost, and that the command in the background has no record.
func TestNoLog(t *testing.T) {
	s := sleeper(80)
	for _, c := range []struct {
		input, args string
		want        []string
	}{
		{`"command":"` + s + `","background":true`, "--dir=/proc/self/none",
			[]string{"what is still printed is lost", "ua job does not know it"}},
		{`"command":"` + s + ` &"`, "--dir=/proc/self/none", []string{"still running", "is lost"}},
		{`"command":"yes | head -c 50000; ` + s + ` &"`, "--dir-max=1", []string{"is lost"}},
	} {
		cmd := uaExec(t, "--unconfined", "--grace", "10ms", c.args)
		cmd.Stdin = strings.NewReader(`{"type":"tool_call","id":"c1","name":"shell","input":{` +
			c.input + "}}\n" + judged("allow", "workspace", ""))
		out, err := cmd.Output()
		for _, want := range c.want {
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q: %v: %s", c.input, want, err, out)
			}
		}
	}
}

// TestOutputEdge: a result holds as much as it may, and not a byte more.
func TestOutputEdge(t *testing.T) {
	var list []task
	for _, size := range []string{"1023", "1024", "1025"} {
		list = append(list, task{command: "printf '%0" + size + "d' 0"})
	}
	for i, r := range results(t, []string{"--unconfined", "--output-max", "1024"}, list...) {
		if got := r.Get("truncated").Bool(); got != (i == 2) {
			t.Errorf("%s: truncated %v", list[i].command, got)
		}
	}
}
