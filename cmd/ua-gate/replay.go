package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	uarun "ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A replayed call is what a journal says of a call, and what the policy says of it now.
type replayed struct {
	journal   string
	id        string
	command   string
	was, now  Verdict
	unchanged bool
}

// A replayer judges the calls of journals again.
type replayer struct {
	env     *prog.Env
	o       options
	journal string // the one that is read
	gate    *gate  // with the policy of the run's folder; nil until it is needed
	pending *call  // that waits for its verdict
	asked   bool   // whether a person was asked about it
	tally   struct{ calls, same, denied, asked, allowed, level int64 }
}

// replay judges the calls of past runs again, by level and rules alone, and prints those
// whose decision differs now. The exit status is that of diff(1): 1 if there are any.
func replay(env *prog.Env, o options, operands []string) error {
	if len(operands) == 0 {
		return prog.Errorf(prog.Trouble,
			"no journal").Hintf("ua-gate replay last judges the last run again")
	}
	r := &replayer{env: env, o: o}
	for _, name := range operands {
		if err := r.read(name); err != nil {
			return err
		}
	}
	t := &r.tally
	if o.json {
		env.Printf("%s\n", event.New("replay_summary").Int("calls", t.calls).Int("same", t.same).
			Int("denied", t.denied).Int("asked", t.asked).Int("allowed", t.allowed).
			Int("level", t.level).Line())
	} else {
		env.Printf("%d calls: %d as before, %d now denied, %d now asked about, %d now allowed; "+
			"%d at another level\n",
			t.calls, t.same, t.denied, t.asked, t.allowed, t.level)
	}
	if t.same < t.calls {
		return prog.Exit(prog.No)
	}
	return nil
}

// openJournal opens what an operand names: "-", a file, or a run's folder or ID.
func openJournal(env *prog.Env, name string) (*os.File, error) {
	if name == "-" {
		return env.Stdin, nil
	}
	open := regular.Named
	info, err := os.Stat(name)
	switch {
	// A journal in a folder is opened without following links: commands may write there.
	case err == nil && info.IsDir():
		name, open = filepath.Join(name, uarun.JournalFile), regular.Open
	case err != nil && !strings.ContainsRune(name, '/'):
		r, err := runs.Find(uarun.Root(), name)
		if err != nil {
			return nil, err
		}
		name, open = r.Journal(), regular.Open
	}
	f, err := open(name)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%s: %v", name, cause(err))
	}
	return f, nil
}

// read judges the calls of one journal.
func (r *replayer) read(name string) error {
	f, err := openJournal(r.env, name)
	if err != nil {
		return err
	}
	defer f.Close()
	// Another journal has other runs, and perhaps other projects.
	r.journal, r.gate, r.pending = name, nil, nil
	for events := event.NewReader(f); ; {
		line, err := events.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		// The rest of the journal still counts.
		case errors.As(err, &bad):
			r.env.Warnf("%s: %v", name, bad)
		case err != nil:
			return prog.Errorf(prog.Trouble, "%s: %v", name, err)
		default:
			if err := r.take(line); err != nil {
				return err
			}
		}
	}
}

// take handles one event.
func (r *replayer) take(line []byte) (err error) {
	switch event.Type(line) {
	// Each run in a journal has its folder, with the policies of its projects.
	case "run":
		r.o.cwd, r.gate = event.Str(line, "cwd"), nil
	case "tool_call":
		c := parseCall(bytes.Clone(line))
		r.pending, r.asked = &c, false
	case "ask":
		r.asked = true
	case "verdict":
		if r.pending == nil || event.Str(line, "call_id") != r.pending.id {
			return nil
		}
		if r.gate == nil {
			if r.gate, err = newGate(r.env, r.o); err != nil {
				return err
			}
		}
		r.count(r.again(r.pending, parseVerdict(line)))
		r.pending = nil
	}
	return nil
}

// again judges a call by the command that ran. A person's answer at that time is no
// difference if the policy still asks.
func (r *replayer) again(c *call, was Verdict) replayed {
	x := replayed{journal: r.journal, id: c.id, command: c.command, was: was}
	if was.Command != "" {
		x.command = was.Command
	}
	person := was.By == "person" || was.By == "session"
	x.now = refusal("input", c.bad)
	if c.bad == "" {
		c.command = x.command
		// The journal tells by its ask events whether a person was there.
		m := unattended
		if r.o.ask || r.asked || person {
			m = attended
		}
		x.now = r.gate.byPolicy(c, m)
	}
	x.unchanged = was.Decision == x.now.Decision || person && x.now.Decision == verdict.Ask
	return x
}

// count counts the call, and prints it if its decision differs now.
func (r *replayer) count(x replayed) {
	t := &r.tally
	t.calls++
	if x.now.Risk != x.was.Risk {
		t.level++
	}
	switch {
	case x.unchanged:
		t.same++
		return
	case x.now.Decision == verdict.Deny:
		t.denied++
	case x.now.Decision == verdict.Ask:
		t.asked++
	default:
		t.allowed++
	}
	if r.o.json {
		r.env.Outf("%s\n", event.New("replay").Str("journal", x.journal).Str("call_id",
			x.id).Str("command", x.command).
			Str("was", string(x.was.Decision)).Str("now", string(x.now.Decision)).
			Str("risk_was", x.was.Risk.String()).Str("risk", x.now.Risk.String()).
			Str("by", x.now.By).OptStr("rule", x.now.Rule).Str("reason", x.now.Reason).Line())
		return
	}
	command := strings.ReplaceAll(style.Visible(cut(x.command, 100)), "\n", style.Mark("⏎"))
	r.env.Outf(style.Mark("%s → %s  %s  [%s %s] %s: %s\n"),
		x.was.Decision, x.now.Decision, command, x.now.By, x.now.Rule, x.now.Risk,
		style.Visible(x.now.Reason))
}
