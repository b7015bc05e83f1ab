package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// TestProcessTable follows what a table keeps in mind of processes.
func TestProcessTable(t *testing.T) {
	p := func(pid, session, top int) process {
		return process{id: processID{pid, uint64(1000 + pid)}, session: session, top: top}
	}
	pids := func(list []process) (pids []int) {
		for _, p := range list {
			pids = append(pids, p.id.pid)
		}
		return pids
	}
	table := newProcessTable()
	table.know(10, true)
	own, strayed := p(11, 10, 10), p(12, 12, 12)
	if got := pids(table.of(10, []process{strayed, own})); !slices.Equal(got, []int{11, 12}) {
		t.Errorf("the first command left %v", got)
	}
	table.tell(10, []process{own, strayed})
	table.know(20, true)
	if got := pids(table.of(20, []process{own, strayed, p(13, 13, 10),
		p(21, 21, 20)})); !slices.Equal(got, []int(nil)) {
		t.Errorf("the second one has itself and what others left: %v", got)
	}
	again := strayed
	again.id.start++ // another process with the pid of one that has ended
	if got := pids(table.of(20, []process{again})); !slices.Equal(got, []int{12}) {
		t.Errorf("a pid that is used again: %v", got)
	}
	if len(table.told) != 0 || len(table.sessions) != 1 {
		t.Errorf("kept in mind for ever: %v %v", table.told, table.sessions)
	}
}

// TestJob revokes a job before and after its result.
func TestJob(t *testing.T) {
	j := newJob(&call{id: "c"}, judgement{})
	if !j.revoke("first", false) || !j.revoke("second", true) || j.reason() != "first" {
		t.Errorf("revoked: %q", j.reason())
	}
	j.finish([]byte("x"))
	if j.line != nil || j.revoke("third", false) || !j.isDone() {
		t.Errorf("another stage's result counts, not %q", j.line)
	}
}

// TestStarters has more locks than threads: those that nothing runs behind go.
func TestStarters(t *testing.T) {
	c := &children{direct: map[int]child{}, starters: map[string]*starter{},
		wake: make(chan struct{}, 1)}
	var held []*starter
	for i := range 2 * maxStarters {
		s, err := c.starter(lock{name: strings.Repeat("x", i)})
		if err != nil {
			t.Fatal(err)
		}
		if s.live--; i < 3 {
			s.live++
			held = append(held, s)
		}
	}
	if len(c.starters) != maxStarters {
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
	if _, err := c.starter(lock{name: "one more"}); err == nil {
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

// TestQueue reads ahead no further than its bound, and hurries past it.
func TestQueue(t *testing.T) {
	q := newQueue()
	q.max = 10
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

// TestJudgementsJoin holds joining to the stricter of each member, in both orders.
func TestJudgementsJoin(t *testing.T) {
	parse := func(more string) judgement {
		return parseJudgement([]byte(`{"type":"verdict","decision":"allow",` + more + `}`))
	}
	a := parse(`"risk":"write","profile":"workspace","delegates":true`)
	b := parse(`"risk":"network","profile":"read-only"`)
	for _, j := range []judgement{a.join(b), b.join(a)} {
		if j.denied != "" || j.risk != b.risk || j.profile != b.profile || j.delegates {
			t.Errorf("%+v", j)
		}
	}
	if j := a.join(a); j != a {
		t.Errorf("the same twice: %+v", j)
	}
}
