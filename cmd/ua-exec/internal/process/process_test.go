package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTable follows what a table keeps in mind of processes.
func TestTable(t *testing.T) {
	p := func(pid, session, top int) Process {
		return Process{ID: ID{pid, uint64(1000 + pid)}, Session: session, Top: top}
	}
	pids := func(list []Process) (pids []int) {
		for _, p := range list {
			pids = append(pids, p.PID)
		}
		return pids
	}
	table := newTable()
	table.begin(10)
	own, strayed := p(11, 10, 10), p(12, 12, 12)
	if got := pids(table.of(10, []Process{strayed, own})); !slices.Equal(got, []int{11, 12}) {
		t.Errorf("the first command left %v", got)
	}
	table.Tell(10, []Process{own, strayed})
	table.begin(20)
	if got := pids(table.of(20, []Process{own, strayed, p(13, 10, 13), p(14, 14, 13),
		p(21, 21, 20)})); !slices.Equal(got, []int{21}) {
		t.Errorf("the second one has %v, with what others left", got)
	}
	if got := pids(table.of(20, []Process{own, strayed, p(14, 14, 12)})); len(got) > 0 {
		t.Errorf("what others left has started %v, which the second one left", got)
	}
	// Its parent has ended since.
	if got := pids(table.of(20, []Process{own, strayed, p(14, 14, 14)})); len(got) > 0 {
		t.Errorf("and now %v", got)
	}
	// Its shell has ended, and what it has left takes that number, in another session.
	if got := pids(table.of(20, []Process{strayed, p(20, 22, 20), p(23, 23, 20)})); !slices.Equal(
		got, []int{20, 23}) {
		t.Errorf("the number of its shell is another's: %v", got)
	}
	// All that the first one has left has ended, and its number is that of a new session.
	if got := pids(table.of(20, []Process{p(10, 10, 10), p(15, 10, 10)})); !slices.Equal(got,
		[]int{10, 15}) {
		t.Errorf("the number of an earlier session is another's: %v", got)
	}
	table.Tell(10, []Process{strayed})
	again := strayed
	again.start++ // another process with the pid of one that has ended
	if got := pids(table.of(20, []Process{again})); !slices.Equal(got, []int{12}) {
		t.Errorf("a pid that is used again: %v", got)
	}
	if len(table.leftovers) != 0 || len(table.sessions) != 1 {
		t.Errorf("kept in mind for ever: %v %v", table.leftovers, table.sessions)
	}
}

// TestStarters has more locks than threads: those that nothing runs behind go.
func TestStarters(t *testing.T) {
	c := &Children{direct: map[int]child{}, starters: map[string]*starter{},
		wake: make(chan struct{}, 1)}
	var held []*starter
	for i := range 2 * MaxStarters {
		s, err := c.starter(Lock{Name: strings.Repeat("x", i)})
		if err != nil {
			t.Fatal(err)
		}
		if s.live--; i < 3 {
			s.live++
			held = append(held, s)
		}
	}
	if len(c.starters) != MaxStarters {
		t.Errorf("%d threads", len(c.starters))
	}
	for i, s := range held {
		if c.starters[strings.Repeat("x", i)] != s {
			t.Errorf("thread %d ended, with what it had started", i)
		}
	}
	for _, s := range c.starters {
		s.live = 1
	}
	if _, err := c.starter(Lock{Name: "one more"}); err == nil {
		t.Error("there is no bound")
	}
	refused := errors.New("refused")
	s := &starter{work: make(chan func(error))}
	go s.run(func() error { return refused })
	got := make(chan error)
	s.work <- func(err error) { go func() { got <- err }() }
	if err := <-got; err != refused {
		t.Errorf("the lock's error: %v", err)
	}
	close(s.work)
}

// children reaps for all tests of this process.
var children = sync.OnceValue(NewChildren)

// shell starts a shell line, whose standard output it returns.
func shell(t *testing.T, line string) (pid int, end <-chan Ended, out *os.File) {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Cleanup(func() { r.Close() })
	pid, end, err = children().Start(Program{Argv: []string{"/bin/sh", "-c", line},
		Env: os.Environ(), Files: []uintptr{null.Fd(), w.Fd(), null.Fd()}})
	if err != nil {
		t.Fatal(err)
	}
	return pid, end, r
}

// Code is what a shell says of the same end.
func TestCode(t *testing.T) {
	for line, want := range map[string]struct {
		code   int
		signal string
	}{
		"exit 0": {0, ""}, "exit 41": {41, ""}, "kill -TERM $$": {143, "SIGTERM"},
		"kill -KILL $$": {137, "SIGKILL"}, "kill -40 $$": {168, "signal 40"},
	} {
		_, end, _ := shell(t, line)
		if code, signal := (<-end).Code(); code != want.code || signal != want.signal {
			t.Errorf("%s: %d %q", line, code, signal)
		}
	}
}

// within returns a context that ends after a time, or with the test.
func within(t *testing.T, grace time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	t.Cleanup(cancel)
	return ctx
}

// A program's whole session is ended, also what ignores TERM and what is stopped.
func TestEndAll(t *testing.T) {
	pid, end, out := shell(t,
		`trap "" TERM; sleep 300 & setsid sh -c 'kill -STOP $$' & echo; wait`)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	table := newTable()
	table.begin(pid)
	if left := table.LeftBy(pid); len(left) < 2 || table.EndStrays() != 0 {
		t.Errorf("%+v", left)
	}
	EndAll(within(t, 10*time.Millisecond), table.Descendants)
	if code, signal := (<-end).Code(); code != 137 || signal != "SIGKILL" {
		t.Errorf("%d %s", code, signal)
	}
	if left := table.Descendants(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	EndAll(within(t, time.Hour), table.Descendants) // does not wait for nobody
}

// TestOrderly ends a shell by the name of ua, which ends its own child otherwise than by
// SIGTERM: neither hears more than one signal. A child that it leaves is told as well.
func TestOrderly(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("cp", "-L", sh, dir+"/ua").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for end, want := range map[string]string{
		"kill -URG $c; wait $c; echo over >>said": "urg\nover\n",
		"echo over >>said":                        "over\nterm\n",
	} {
		os.Remove(dir + "/said")
		child := `trap "echo term >>said; exit" TERM; trap "echo urg >>said; exit" URG; ` +
			`echo; while :; do sleep .02; done`
		agent := fmt.Sprintf(`setsid sh -c '%s' & c=$!; trap "%s; exit" TERM; wait`, child, end)
		line := fmt.Sprintf("cd %s && exec setsid ./ua -c \"$AGENT\"", dir)
		t.Setenv("AGENT", agent)
		_, ended, out := shell(t, line)
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		EndAll(within(t, time.Hour), Under)
		<-ended
		if said, _ := os.ReadFile(dir + "/said"); string(said) != want {
			t.Errorf("%s: they said %q", end, said)
		}
	}
}

// What can't be started is an error, and no process.
func TestStartNone(t *testing.T) {
	_, _, err := children().Start(Program{Argv: []string{"/nonexistent/sh"}})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	lock := Lock{Name: "x", Apply: func() error { return errors.New("refused") }}
	program := Program{Argv: []string{"/bin/sh"}, Lock: lock}
	if _, _, err := children().Start(program); err == nil ||
		err.Error() != "exec /bin/sh: refused" {
		t.Errorf("%v", err)
	}
}
