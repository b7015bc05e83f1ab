package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	runs "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// A replayed call is what a journal says of a call, and what the policy says.
type replayed struct {
	journal       string
	id            string
	command       string
	was, now      verdict.Decision
	person        bool // who decided then
	wasRisk, risk verdict.Level
	by, rule      string // of now
	reason        string
}

// tally counts what replay found.
type tally struct{ calls, same, denied, asked, allowed, level int }

// replay judges the calls of past runs again, by level and rules alone, and
// prints those whose decision is another one now. The exit status is that of
// diff(1): 1 if there are any.
func replay(env *prog.Env, o options, operands []string) error {
	if len(operands) == 0 {
		return prog.Errorf(prog.Trouble, "no journal").Hintf("ua-gate replay last judges the last run again")
	}
	var t tally
	for _, name := range operands {
		if err := replayOne(env, o, name, &t); err != nil {
			return err
		}
	}
	if o.json {
		fmt.Fprintf(env.Stdout, "%s\n", event.New("replay_summary").Int("calls", int64(t.calls)).Int("same", int64(t.same)).
			Int("denied", int64(t.denied)).Int("asked", int64(t.asked)).Int("allowed", int64(t.allowed)).Int("level", int64(t.level)).Line())
	} else {
		fmt.Fprintf(env.Stdout, "%d calls: %d as before, %d now denied, %d now asked about, %d now allowed; %d at another level\n",
			t.calls, t.same, t.denied, t.asked, t.allowed, t.level)
	}
	if t.same < t.calls {
		return prog.Exit(prog.No)
	}
	return nil
}

// openJournal opens what an operand names: "-", a file, a run's folder or ID.
func openJournal(env *prog.Env, name string) (*os.File, error) {
	if name == "-" {
		return env.Stdin, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		name = filepath.Join(name, "journal.jsonl")
	case err != nil && !strings.ContainsRune(name, '/'):
		r, err := runs.Find(name)
		if err != nil {
			return nil, err
		}
		name = r.Journal()
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%s: %v", name, cause(err))
	}
	return f, nil
}

func replayOne(env *prog.Env, o options, name string, t *tally) error {
	f, err := openJournal(env, name)
	if err != nil {
		return err
	}
	defer f.Close()
	var g *gate
	var pending *call
	asked := false // about the pending call
	r := event.NewReader(f)
	for {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			env.Warnf("%s: %v", name, bad)
			continue
		case err != nil:
			return prog.Errorf(prog.Trouble, "%s: %v", name, err)
		}
		switch event.Type(line) {
		case "run":
			o.cwd = event.Str(line, "cwd")
			g = nil
		case "tool_call":
			c := parseCall([]byte(string(line)))
			pending, asked = &c, false
		case "ask":
			asked = true
		case "verdict":
			if pending == nil || event.Str(line, "call_id") != pending.id {
				continue
			}
			if g == nil {
				if g, err = newGate(env, o); err != nil {
					return err
				}
			}
			was := parseVerdict(line)
			if g.mode = unattended; o.ask || asked || was.By == "session" {
				g.mode = attended
			}
			t.count(env, o, g.again(name, pending, was))
			pending = nil
		}
	}
}

// again judges a call of a journal as its command ran.
func (g *gate) again(journal string, c *call, was Verdict) replayed {
	x := replayed{journal: journal, id: c.id, command: c.command, was: was.Decision, wasRisk: was.Risk}
	x.person = was.By == "person" || was.By == "session"
	if was.Command != "" {
		x.command = was.Command
	}
	v := Verdict{Risk: verdict.Denied, Decision: verdict.Deny, By: "input", Reason: c.bad}
	if c.bad == "" {
		c.command = x.command
		v = g.byPolicy(c, g.mode)
	}
	x.now, x.risk, x.by, x.rule, x.reason = v.Decision, v.Risk, v.By, v.Rule, v.Reason
	return x
}

// count counts the call and prints it if its decision is another one now.
func (t *tally) count(env *prog.Env, o options, x replayed) {
	t.calls++
	if x.risk != x.wasRisk {
		t.level++
	}
	switch {
	case x.was == x.now || x.person && x.now == verdict.Ask:
		t.same++
		return
	case x.now == verdict.Deny:
		t.denied++
	case x.now == verdict.Ask:
		t.asked++
	default:
		t.allowed++
	}
	if o.json {
		fmt.Fprintf(env.Stdout, "%s\n", event.New("replay").Str("journal", x.journal).Str("call_id", x.id).Str("command", x.command).
			Str("was", string(x.was)).Str("now", string(x.now)).Str("risk_was", x.wasRisk.String()).Str("risk", x.risk.String()).
			Str("by", x.by).OptStr("rule", x.rule).Str("reason", x.reason).Line())
		return
	}
	command := strings.ReplaceAll(visible(cut(x.command, 100)), "\n", "⏎")
	fmt.Fprintf(env.Stdout, "%s → %s  %s  [%s %s] %s: %s\n", x.was, x.now, command, x.by, x.rule, x.risk, visible(x.reason))
}
