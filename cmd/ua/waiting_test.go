package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// turns writes a recorded run: each answer is a command ("$ …") or a text.
func (p *place) turns(answers ...string) {
	var b strings.Builder
	for i, a := range answers {
		if c, ok := strings.CutPrefix(a, "$ "); ok {
			fmt.Fprintf(&b, `{"type":"response","model":"m","stop_reason":"tool_use","content":[`+
				`{"type":"tool_use","id":"c%d","name":"shell","input":{"command":%q}}]}`+"\n", i, c)
			continue
		}
		fmt.Fprintf(&b, `{"type":"response","model":"m","stop_reason":"end_turn",`+
			`"content":[{"type":"text","text":%q}]}`+"\n", a)
	}
	p.write("main.jsonl", b.String())
}

// waits waits until the newest run waits for its jobs.
func (p *place) waits(what string) {
	p.t.Helper()
	var out string
	scripttest.Await(p.t, "waiting: "+what, func() bool {
		out, _, _ = p.run("ua", "ps")
		return strings.Contains(out, "waiting: "+what)
	})
}

// TestWaiting: what begins a turn of a run that has answered.
func TestWaiting(t *testing.T) {
	const job = "$ touch made; ua job start -- sh -c 'while ! test -e go; do sleep 0.05; done; " +
		"echo it says hello; exit 3'"
	for name, c := range map[string]struct {
		options []string
		answers []string
		waits   string
		do      func(*testing.T, *place)
		told    []string
	}{
		"the end of a job": {nil, []string{job, "wait for it", "all done"}, "job 1",
			func(_ *testing.T, p *place) { p.write("go", "") },
			[]string{"has ended with status 3", "it says hello", "job 1"}},
		"of the second, while another goes on": {nil, []string{job, strings.Replace(job, "go", "go2", 1),
			"wait for it", "and for that", "all done"}, "job 1, job 2",
			func(_ *testing.T, p *place) { p.write("go2", ""); p.waits("job 1 "); p.write("go", "") },
			[]string{"job 2", "job 1"}},
		"a line": {nil, []string{"$ touch made; ua job start --wake '^err.r' -- sh -c 'while ! " +
			"test -e go; do sleep 0.05; done; echo no error; echo error 7; while ! test -e go2; " +
			"do sleep 0.05; done'", "wait", "more", "all done"}, "job 1",
			func(t *testing.T, p *place) {
				p.write("go", "")
				scripttest.Await(t, "the second turn", func() bool { return len(p.events("turn")) == 3 })
				p.waits("job 1")
				p.write("go2", "")
			}, []string{"the last one: error 7"}},
		"a message": {nil, []string{job, "wait", "$ touch go; sleep 0.5", "all done"}, "job 1",
			func(t *testing.T, p *place) {
				if _, errs, status := p.run("ua", "send", "last", "hurry up"); status != 0 {
					t.Error(errs)
				}
			}, []string{"hurry up"}},
		"a time": {nil, []string{"$ touch made; ua job start --at 2s -- echo the time has come",
			"wait", "all done"}, "job 1", func(*testing.T, *place) {},
			[]string{"the time has come", "has ended with status 0"}},
		"its own clock": {nil, []string{"$ touch made; ua job start --at +2s", "wait", "all done"},
			"job 1", func(*testing.T, *place) {}, []string{"has ended with status 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, uid := range users() {
				p := newPlace(t, uid)
				p.turns(c.answers...)
				out, errs, status := p.run(append(append([]string{"ua", "--bg"}, c.options...), "task")...)
				if status != 0 {
					t.Fatal(errs)
				}
				id := strings.TrimSpace(out)
				p.waits(c.waits)
				c.do(t, p)
				if _, errs, status := p.run("ua", "wait", id); status != 0 {
					t.Fatalf("user %d: status %d: %s", uid, status, errs)
				}
				told := ""
				for _, m := range p.events("message") {
					told += m.Get("text").Str
				}
				for _, want := range c.told {
					if !strings.Contains(told, want) {
						t.Errorf("user %d: the model was told %q, not %q", uid, told, want)
					}
				}
				if got, _ := os.ReadFile(filepath.Join(p.glob(id)[0], "stdout")); string(got) !=
					"all done\n" {
					t.Errorf("user %d: the answer is %q", uid, got)
				}
			}
		})
	}
}

// TestWaitingEnds: a run that waits ends as one that works does, and its answer is not lost.
func TestWaitingEnds(t *testing.T) {
	for name, c := range map[string]struct {
		options []string
		end     func(*testing.T, *place, string)
		status  int64
	}{
		"stop": {nil, func(t *testing.T, p *place, id string) { p.run("ua", "stop", id) }, 143},
		"SIGINT": {nil, func(t *testing.T, p *place, id string) {
			syscall.Kill(int(p.record(id).Get("pid").Int()), syscall.SIGINT)
		}, 130},
		"time": {[]string{"--time-limit", "4s"}, func(*testing.T, *place, string) {}, 124},
		"turns": {[]string{"--max-turns", "2"}, func(_ *testing.T, p *place, _ string) {
			p.write("go", "")
		}, 124},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, users()[len(users())-1])
			s := strings.Join(sleeper(len(name)+70), " ")
			p.turns("$ touch made; ua job start -- sh -c 'while ! test -e go; do sleep 0.05; done'; "+
				"ua job start -- "+s, "the first answer", "never")
			out, errs, _ := p.run(append(append([]string{"ua", "--bg"}, c.options...), "task")...)
			id := strings.TrimSpace(out)
			if id == "" {
				t.Fatal(errs)
			}
			p.waits("job 1, job 2")
			c.end(t, p, id)
			p.run("ua", "wait", id)
			if r := p.record(id); r.Get("exit_code").Int() != c.status {
				t.Errorf("%s", r)
			}
			scripttest.Await(t, "the end of its job", func() bool { return !working(strings.Fields(s)) })
			got, _ := os.ReadFile(filepath.Join(p.glob(id)[0], "stdout"))
			if string(got) != "the first answer\n" && name != "turns" {
				t.Errorf("the answer is %q", got)
			}
		})
	}
}

// TestWaitingResumed: the model learns that a job ended with the process that drove its run.
func TestWaitingResumed(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.turns("$ touch made; ua job start -- "+strings.Join(sleeper(90), " "), "wait", "all done")
	out, _, _ := p.run("ua", "--bg", "task")
	id := strings.TrimSpace(out)
	p.waits("job 1")
	syscall.Kill(int(p.record(id).Get("pid").Int()), syscall.SIGKILL)
	p.run("ua", "wait", id)
	scripttest.Await(t, "the end of its job", func() bool { return !working(sleeper(90)) })
	if r := p.record(id); r.Get("state").Str != "failed" {
		t.Errorf("%s", r)
	}
	if out, errs, status := p.run("ua", "resume", id); status != 0 || out != "all done\n" {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if m := p.events("message"); len(m) != 1 || !strings.Contains(m[0].Get("text").Str,
		"waiting: job 1") {
		t.Errorf("%v", m)
	}
}

// TestWaitingNot: no run waits without being asked to, or for nothing.
func TestWaitingNot(t *testing.T) {
	s := strings.Join(sleeper(91), " ")
	for _, args := range [][]string{{"task"}, {"--bg", "--no-stay", "task"},
		{"--bg", "--until", "true", "task"}, {"--stay", "-q", "x"}} {
		p := newPlace(t, os.Getuid())
		first := "$ touch made; ua job start -- " + s
		if args[0] == "--stay" {
			first = "$ ua job start -- true; ua job start -- false; sleep 0.3"
		}
		p.turns(first, "all done", "all done")
		out, errs, status := p.run(append([]string{"ua"}, args...)...)
		if id := strings.TrimSpace(out); args[0] == "--bg" {
			_, errs, status = p.run("ua", "wait", id)
		}
		if status != 0 || working(strings.Fields(s)) || len(p.events("waiting")) > 0 {
			t.Errorf("%v: status %d: %s", args, status, errs)
		}
	}
}

// TestWaitingCostsNothing: no process of a run that waits spins. That is measured in clock ticks
// of 10 ms; one that spins takes 200 of them in this time, and all of these take one or two.
func TestWaitingCostsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, os.Getuid())
	p.turns("$ touch made; ua job start -- "+strings.Join(sleeper(92), " "), "wait")
	out, _, _ := p.run("ua", "--bg", "task")
	id := strings.TrimSpace(out)
	p.waits("job 1")
	pid := int(p.record(id).Get("pid").Int())
	defer p.run("ua", "stop", id)
	ticks := func() (sum int) {
		for _, d := range append(descendants(pid), process{pid: pid}) {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.pid))
			_, rest, _ := strings.Cut(string(b), ") ") // of proc_pid_stat(5) the fields from 3 on
			for _, n := range strings.Fields(rest + strings.Repeat(" 0", 20))[11:13] {
				k, _ := strconv.Atoi(n)
				sum += k
			}
		}
		return sum
	}
	before := ticks()
	time.Sleep(2 * time.Second)
	if used := ticks() - before; used > 20 {
		t.Errorf("%d ms of CPU in 2 s of waiting", 10*used)
	}
}

// TestAt reads times as people give them.
func TestAt(t *testing.T) {
	now := time.Date(2026, 3, 31, 14, 30, 30, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "+10m": 10 * time.Minute, "0s": 0,
		"14:31": 30 * time.Second, "14:30": 24*time.Hour - 30*time.Second,
		"2026-03-31T15:30": 59*time.Minute + 30*time.Second, "2026-03-31T14:30": 0,
		"2026-03-31T16:30:30+02:00": 0, "2026-03-31T16:31:30+02:00": time.Minute,
	} {
		if got, err := untilTime(text, now); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"-1s", "25:00", "tomorrow", "", "10", "14:61", "2026-02-30T10:00"} {
		if got, err := untilTime(text, now); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
