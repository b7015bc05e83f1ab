package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// A race is several runs of one task.
type race struct {
	env    *prog.Env
	runs   int
	tokens int64 // that all may use together; 0: any number
	usd    float64
	args   []string    // of each run
	over   atomic.Bool // what the runs still say is of no interest
	racers []*racer
	lines  chan line
	ended  chan *racer
}

// A racer is one of the runs.
type racer struct {
	race   *race
	n      int
	cmd    *exec.Cmd
	done   chan struct{} // closed when it has ended
	id     string        // of the run, once it has begun
	named  string        // the same, as who reads its events has it; read once it has ended
	proved bool          // the last check has passed
	answer []byte        // the last response
	spent  journal.Tally
	status int
}

// A line is an event of a racer.
type line struct {
	of   *racer
	text []byte
}

// grace is how long a run may take to end.
const grace = 10 * time.Second

// run starts the runs and waits for the first one that is proved. Nothing is done to the
// folder before, and then all by one program, which a signal to this one's group misses.
func (r *race) run() error {
	ua, err := prog.FindSibling("ua")
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the runs end with the thread that starts them
	signals := make(chan os.Signal, 4)
	prog.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer r.drop(nil)
	for n := 1; n <= r.runs; n++ {
		if err := r.start(ua, n); err != nil {
			return err
		}
	}
	status := 0
	for live := len(r.racers); live > 0; {
		select {
		case l := <-r.lines:
			l.of.note(l.text)
			if why := r.overspent(); why != "" {
				return prog.Errorf(prog.Limit, "%s", why)
			}
		case racer := <-r.ended:
			live--
			switch {
			case racer.status == 0 && racer.proved:
				return r.win(racer)
			case racer.status == 0:
				return prog.Errorf(prog.Trouble, "run %s has no check", racer.id).
					Hintf("--until COMMAND adds one")
			case status == 0 || racer.status == prog.No:
				status = racer.status
			}
		case sig := <-signals:
			return prog.Exit(128 + int(sig.(syscall.Signal)))
		}
	}
	r.env.Warnf("no run passed its checks")
	return prog.Exit(status)
}

// start starts one run.
func (r *race) start(ua string, n int) error {
	c := &racer{race: r, n: n, done: make(chan struct{})}
	c.cmd = exec.Command(ua, append([]string{"--json", "--try"}, r.args...)...)
	c.cmd.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{Setsid: true}, syscall.SIGTERM)
	stdout, err := c.cmd.StdoutPipe()
	stderr, err2 := c.cmd.StderrPipe()
	if err = cmp.Or(err, err2); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	r.racers = append(r.racers, c)
	go func() {
		for said := bufio.NewScanner(stderr); said.Scan(); {
			if !r.over.Load() {
				r.env.Warnf("[%d] %s", n, said.Text())
			}
		}
	}()
	go func() {
		events := event.NewReader(stdout)
		for {
			text, err := events.Line()
			if err != nil {
				break
			}
			if c.named == "" && event.Type(text) == "run" {
				c.named = event.Str(text, "id")
			}
			r.lines <- line{c, bytes.Clone(text)}
		}
		_ = c.cmd.Wait()
		c.status = prog.Ended(c.cmd.ProcessState)
		close(c.done)
		r.ended <- c
	}()
	return nil
}

// note takes up an event of a racer.
func (c *racer) note(text []byte) {
	c.spent.Add(text)
	switch event.Type(text) {
	case "run":
		if c.id == "" {
			c.id = event.Str(text, "id")
			c.race.env.Warnf("[%d] run %s", c.n, c.id)
		}
	case "model_request":
		c.spent.Use(gjson.GetBytes(text, "usage")) // of a subagent
	case "response":
		c.answer = text
	case "check":
		c.proved = gjson.GetBytes(text, "passed").Bool()
		c.race.env.Warnf("[%d] check %s: %s", c.n, map[bool]string{true: "passed",
			false: "failed"}[c.proved], style.FirstLine(event.Str(text, "command"), 100))
	}
}

// overspent says which budget all runs have used up.
func (r *race) overspent() string {
	var tokens int64
	var usd float64
	for _, c := range r.racers {
		tokens += c.spent.TokensIn + c.spent.TokensOut
		usd += c.spent.CostUSD
	}
	switch {
	case r.tokens > 0 && tokens >= r.tokens:
		return fmt.Sprintf("the budget of %d tokens is used up", r.tokens)
	case r.usd > 0 && usd >= r.usd:
		return fmt.Sprintf("the budget of $%g is used up", r.usd)
	}
	return ""
}

// win applies what the winner has changed and prints its answer.
func (r *race) win(winner *racer) error {
	r.over.Store(true)
	r.env.Warnf("[%d] passed its checks", winner.n)
	for _, c := range r.racers {
		c.signal(syscall.SIGTERM)
	}
	if out, err := r.try("apply", winner); err != nil &&
		!strings.Contains(out, "nothing to apply") {
		return prog.Errorf(prog.Trouble, "run %s passed its checks, but was not applied: %s", winner.id,
			style.FirstLine(strings.TrimPrefix(out, "ua-try: "), 400)).
			Hintf("ua-try apply %s", winner.link())
	}
	r.drop(winner)
	for _, c := range r.racers { // their journals stay, below that of the winner, which is the last
		if from := filepath.Join(run.Root(), c.id); c != winner && c.id != "" {
			_ = os.Rename(from, filepath.Join(run.Root(), winner.id, run.SubFolder, c.id))
		}
	}
	r.racers = nil
	text, _ := event.ResponseText(winner.answer)
	r.env.Printf("%s\n", strings.TrimSuffix(text, "\n"))
	return nil
}

// drop ends all runs and drops their tries, but for the one that is kept.
func (r *race) drop(kept *racer) {
	for _, c := range r.racers {
		c.signal(syscall.SIGTERM)
	}
	r.over.Store(true)
	go func() { // nobody waits for what the runs still say
		for {
			select {
			case <-r.lines:
			case <-r.ended:
			}
		}
	}()
	limit := time.After(grace)
	for _, c := range r.racers {
		select {
		case <-c.done:
		case <-limit:
			c.signal(syscall.SIGKILL)
			limit = time.After(time.Second)
			<-c.done
		}
		c.id = cmp.Or(c.id, c.named) // also of one whose first line was not taken up yet
		if c != kept && c.id != "" {
			if out, err := r.try("drop", c); err != nil && !strings.Contains(out, "no such") {
				r.env.Warnf("[%d] %s", c.n, out)
			}
		}
	}
}

// signal sends a signal to a run that lives.
func (c *racer) signal(sig syscall.Signal) {
	select {
	case <-c.done:
	default:
		_ = c.cmd.Process.Signal(sig)
	}
}

// link is the link to a run's try in its folder.
func (c *racer) link() string { return filepath.Join(run.Root(), c.id, "try") }

// try runs ua-try on a run's try, in a session of its own: what it has begun, it ends.
func (r *race) try(verb string, c *racer) (said string, err error) {
	if _, err := os.Lstat(c.link()); err != nil {
		return "nothing to apply: no such try", err
	}
	program, err := prog.FindSibling("ua-try")
	if err != nil {
		return err.Error(), err
	}
	cmd := exec.Command(program, verb, c.link())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
