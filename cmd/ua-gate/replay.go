package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	uarun "ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A replayer judges the calls of journals again.
type replayer struct {
	env     *prog.Env
	o       options
	journal string           // the one that is read
	gate    *gate            // with the policy of the run's folder; nil until it is needed
	pending *call            // that waits for its verdict
	asked   bool             // whether a person was asked about it
	tally   map[string]int64 // calls, the same, at another level, and by their decision now
}

// replay judges the calls of past runs again, by level and rules alone, and prints those
// whose decision differs now. The exit status is that of diff(1): 1 if there are any.
func replay(env *prog.Env, o options, operands []string) error {
	if len(operands) == 0 {
		return prog.Errorf(prog.Trouble,
			"no journal").Hintf("ua-gate replay last judges the last run again")
	}
	r := &replayer{env: env, o: o, tally: map[string]int64{}}
	for _, name := range operands {
		if err := r.read(name); err != nil {
			return err
		}
	}
	t := r.tally
	if o.json {
		env.Printf("%s\n", event.New("replay_summary").Int("calls", t["calls"]).Int("same", t["same"]).
			Int("denied", t["deny"]).Int("asked", t["ask"]).Int("allowed", t["allow"]).
			Int("level", t["level"]).Line())
	} else {
		env.Printf("%d calls: %d as before, %d now denied, %d now asked about, %d now allowed; "+
			"%d at another level\n",
			t["calls"], t["same"], t["deny"], t["ask"], t["allow"], t["level"])
	}
	if t["same"] < t["calls"] {
		return prog.Exit(prog.No)
	}
	return nil
}

// openJournal opens what an operand names: "-", a file, or a run's folder or ID.
func openJournal(env *prog.Env, name string) (*os.File, error) {
	if name == "-" {
		return env.Stdin, nil
	}
	open := safefile.Named
	info, err := os.Stat(name)
	switch {
	// A journal in a folder is opened without following links: commands may write there.
	case err == nil && info.IsDir():
		name, open = filepath.Join(name, uarun.JournalFile), safefile.Open
	case err != nil && !strings.ContainsRune(name, '/'):
		r, err := runfolder.Find(uarun.Root(), name)
		if err != nil {
			return nil, err
		}
		name, open = r.Journal(), safefile.Open
	}
	f, err := open(name)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%s: %v", name, prog.Cause(err))
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
		case errors.As(err, &bad): // the rest of the journal still counts
			r.env.Warnf("%s: %v", name, bad)
			continue
		case err != nil:
			return prog.Errorf(prog.Trouble, "%s: %v", name, err)
		}
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
				continue
			}
			if err := r.again(r.pending, parseVerdict(line)); err != nil {
				return err
			}
			r.pending = nil
		}
	}
}

// again judges a call by the command that ran, and prints it if its decision differs now. A
// person's answer at that time is no difference if the policy still asks.
func (r *replayer) again(c *call, was Verdict) (err error) {
	person := was.By == "person" || was.By == "session"
	if was.Command != "" {
		c.command = was.Command
	}
	if r.gate == nil {
		if r.gate, err = newGate(r.env, r.o); err != nil {
			return err
		}
	}
	now := refusal("input", c.bad)
	if c.bad == "" {
		// The journal tells by its ask events whether a person was there.
		m := policy.Unattended
		if r.o.ask || r.asked || person {
			m = policy.Attended
		}
		now = r.gate.byPolicy(c, m)
	}
	r.tally["calls"]++
	if now.Risk != was.Risk {
		r.tally["level"]++
	}
	if was.Decision == now.Decision || person && now.Decision == verdict.Ask {
		r.tally["same"]++
		return nil
	}
	r.tally[string(now.Decision)]++
	if r.o.json {
		r.env.Outf("%s\n", event.New("replay").Str("journal", r.journal).Str("call_id",
			c.id).Str("command", c.command).
			Str("was", string(was.Decision)).Str("now", string(now.Decision)).
			Str("risk_was", was.Risk.String()).Str("risk", now.Risk.String()).
			Str("by", now.By).OptStr("rule", now.Rule).Str("reason", now.Reason).Line())
		return nil
	}
	r.env.Outf(style.Mark("%s → %s  %s  [%s %s] %s: %s\n"), was.Decision, now.Decision,
		style.OneLine(c.command, 100), now.By, now.Rule, now.Risk, style.Visible(now.Reason))
	return nil
}
