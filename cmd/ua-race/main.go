// Ua-race has several runs do one task, each in a try of its own, and applies the first one that
// is proved: ua-race [-n N] --until CMD [options of ua] "task" (ua-race(1)).
package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runtry"
	"ua/internal/common/style"
	"ua/internal/common/uaclient"
)

func main() { prog.Main("ua-race", start) }

// help is the text of --help.
const help = `usage: ua-race [-n N] --until CMD [option of ua ...] "task"

Do the task in several runs at once, each in a try of its own. The first whose
checks pass is applied; the others are stopped, and their tries dropped.

  -n N                  start N runs (3)
  --until CMD           what proves a run; may be repeated
  --budget-tokens N     end all runs when together they have used N tokens
  --budget-usd X        end all runs when together they have used X dollars
  --help                print this help and exit
  --version             print the version and exit`

// refused are the options of ua that would have each run of a race do what only one may.
var refused = []string{"try", "atomic", "no-try", "bg", "ask", "o", "output", "json", "c",
	"continue", "via", "isolate"}

// start starts the race.
func start(env *prog.Env) error {
	r := &race{env: env, ended: make(chan *racer), lines: make(chan func())}
	if err := r.parse(); err != nil {
		return err
	}
	return r.run()
}

// parse takes the options of ua-race out of the command line. The budgets are for each run,
// too: none may pass them alone.
func (r *race) parse() error {
	fs, args := prog.Flags(), r.env.Args
	prog.Number(fs, &r.runs, "n", 3, 1, 16)
	prog.Number(fs, &r.tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &r.usd, "budget-usd", 0)
	prog.List(fs, new([]string), "until") // for each run
	for len(args) > 0 && args[0] != "--" {
		name, _, glued := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		option, words := strings.HasPrefix(args[0], "-"), args[:1]
		own := option && fs.Lookup(name) != nil
		if own && !glued && len(args) > 1 {
			words = args[:2]
		}
		if option && slices.Contains(refused, name) {
			return prog.Errorf(prog.Trouble, "%s: a race has no such option", args[0])
		} else if own || option && (name == "help" || name == "version") {
			if err := r.env.Parse(fs, words, help); err != nil {
				return err
			}
		}
		if name != "n" || !own {
			r.args = append(r.args, words...)
		}
		args = args[len(words):]
	}
	if r.args = append(r.args, args...); len(r.args) == 0 {
		return prog.Errorf(prog.Trouble, "no task").
			Hintf(`ua-race -n 3 --until 'make test' "mend the failing test"`)
	}
	return nil
}

// A race is several runs of one task.
type race struct {
	env    *prog.Env
	runs   int
	tokens int64 // that all may use together; 0: any number
	usd    float64
	args   []string    // of each run
	over   atomic.Bool // what the runs still say is of no interest
	racers []*racer
	lines  chan func() // takes up an event
	ended  chan *racer

	unproved *racer // one that has no check, which nothing can prove
}

// A racer is one of the runs.
type racer struct {
	*uaclient.Run
	race   *race
	n      int
	done   chan struct{} // closed when it has ended
	proved bool          // the last check has passed
	answer []byte        // the last response
	spent  journal.Tally
}

// run starts the runs and waits for the first one that is proved. Nothing is done to the
// folder before, and then all by one program, which a signal to this one's group misses.
func (r *race) run() error {
	signals := make(chan os.Signal, 4)
	prog.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer r.drop(nil)
	for n := 1; n <= r.runs; n++ {
		if err := r.start(n); err != nil {
			return err
		}
	}
	status := 0
	for live := len(r.racers); live > 0; {
		select {
		case note := <-r.lines:
			note()
			switch {
			case r.unproved != nil:
				return r.unproved.noCheck()
			case r.overspent():
				return prog.Errorf(prog.Limit, "the budget is used up")
			}
		case racer := <-r.ended:
			live--
			switch how, _ := racer.End(); {
			case how == 0 && racer.proved:
				return r.win(racer)
			case how == 0:
				return racer.noCheck()
			case status == 0 || how == prog.No:
				status = how
			}
		case sig := <-signals:
			return prog.Exit(128 + int(sig.(syscall.Signal)))
		}
	}
	r.env.Warnf("no run passed its checks")
	return prog.Exit(status)
}

// start starts one run.
func (r *race) start(n int) error {
	said := func(text string) {
		if !r.over.Load() {
			r.env.Warnf("[%d] %s", n, text)
		}
	}
	run, err := uaclient.Start("", nil, said, append([]string{"--json", "--try"}, r.args...)...)
	if err != nil {
		return err
	}
	c := &racer{Run: run, race: r, n: n, done: make(chan struct{})}
	r.racers = append(r.racers, c)
	go func() {
		for line := c.Next(); line != nil; line = c.Next() {
			r.lines <- func() { c.note(line) }
		}
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
		c.race.env.Warnf("[%d] run %s", c.n, event.Str(text, "id"))
		if !gjson.GetBytes(text, "options.until").Exists() {
			c.race.unproved = c
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

// noCheck is the error of a race in which a run has no check.
func (c *racer) noCheck() error {
	return prog.Errorf(prog.Trouble, "run %s has no check", c.ID).Hintf("--until COMMAND adds one")
}

// overspent reports whether all runs together have used up a budget.
func (r *race) overspent() bool {
	var tokens int64
	var usd float64
	for _, c := range r.racers {
		tokens += c.spent.TokensIn + c.spent.TokensOut
		usd += c.spent.CostUSD
	}
	return r.tokens > 0 && tokens >= r.tokens || r.usd > 0 && usd >= r.usd
}

// win applies what the winner has changed and prints its answer.
func (r *race) win(winner *racer) error {
	r.over.Store(true)
	r.env.Warnf("[%d] passed its checks", winner.n)
	for _, c := range r.racers {
		c.Interrupt()
	}
	if out, err := r.try("apply", winner); err != nil && !strings.Contains(out, "nothing to apply") {
		return prog.Errorf(prog.Trouble, "run %s passed its checks, but was not applied: %s", winner.ID,
			style.FirstLine(strings.TrimPrefix(out, "ua-try: "), 400)).
			Hintf("ua-try apply %s", winner.link())
	}
	r.drop(winner)
	for _, c := range r.racers { // their journals stay, below that of the winner, which is the last
		if from := filepath.Join(run.Root(), c.ID); c != winner && c.ID != "" {
			_ = os.Rename(from, filepath.Join(run.Root(), winner.ID, run.SubFolder, c.ID))
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
		c.Interrupt()
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
	for _, c := range r.racers {
		<-c.done
		if c != kept && c.ID != "" {
			if out, err := r.try("drop", c); err != nil && !strings.Contains(out, "no such") {
				r.env.Warnf("[%d] %s", c.n, out)
			}
		}
	}
}

// link is the link to a run's try in its folder.
func (c *racer) link() string {
	return runtry.Link(run.Run{Dir: filepath.Join(run.Root(), c.ID)})
}

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
