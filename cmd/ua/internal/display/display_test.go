package display

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
)

// streams is what was printed on stdout and stderr, none of which is a terminal.
type streams struct {
	t   *testing.T
	env *prog.Env
}

func newStreams(t *testing.T) *streams {
	t.Helper()
	t.Setenv("LC_ALL", "C.UTF-8")
	env := &prog.Env{Name: "ua"}
	for name, to := range map[string]**os.File{"out": &env.Stdout, "err": &env.Stderr} {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		*to = f
	}
	return &streams{t, env}
}

// read returns what has been printed since, and empties both.
func (s *streams) read() (out, errs string) {
	s.t.Helper()
	for f, to := range map[*os.File]*string{s.env.Stdout: &out, s.env.Stderr: &errs} {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			s.t.Fatal(err)
		}
		*to = string(text)
		f.Truncate(0)
		f.Seek(0, 0)
	}
	return out, errs
}

func TestCommandLine(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for _, c := range []struct{ command, verdict, want string }{
		{"ls", `{"risk":"read_only"}`, "❯ ls ▐ read_only"},
		{"ls", `{"risk":"write","command":"x"}`, "❯ x ▐ write"},
		{"ls", `{}`, "❯ ls ▐ no risk named"},
		{"cat >f <<E\nx\nE\nrm -rf build", `{"risk":"destructive","simple":[` +
			`{"text":"cat >f <<E","level":"write"},{"text":"rm -rf build","level":"destructive"}]}`,
			"❯ cat >f <<E … rm -rf build ▐ destructive"},
		{"ls\nls", `{"risk":"read_only","simple":[{"text":"ls","level":"read_only"}]}`,
			"❯ ls … ▐ read_only"},
		{"rm a\nrm -rf b", `{"risk":"destructive","simple":[` +
			`{"text":"rm a","level":"destructive"},{"text":"rm -rf b","level":"destructive"}]}`,
			"❯ rm a … rm -rf b ▐ destructive"},
	} {
		if got := commandLine(style.Style(false), c.command, []byte(c.verdict)); got != c.want {
			t.Errorf("%q: %q, want %q", c.command, got, c.want)
		}
	}
}

// show has a display of the options show events, and returns what was printed.
func show(t *testing.T, o Options, events ...string) (out, errs string) {
	t.Helper()
	s := newStreams(t)
	d := New(s.env, o, "/j/journal.jsonl")
	for _, line := range events {
		if err := d.Event(event.Type([]byte(line)), []byte(line)); err != nil {
			t.Error(err)
		}
	}
	return s.read()
}

const (
	call   = `{"type":"tool_call","id":"c","input":{"command":"ls"}}`
	judged = `{"type":"verdict","call_id":"c","risk":"write","decision":"allow"}`
)

func TestEvent(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      Options
		events []string
		out    string
		errs   string
	}{
		{"a command", Options{}, []string{call, judged}, "", "❯ ls ▐ write\n"},
		{"quiet", Options{Quiet: true}, []string{call, judged}, "", ""},
		{"as JSON", Options{JSON: true}, []string{call, judged}, call + "\n" + judged + "\n", ""},
		{"who was asked has seen it", Options{}, []string{call, `{"type":"ask","call_id":"c"}`,
			`{"type":"verdict","call_id":"c","risk":"write","decision":"deny","by":"person"}`}, "", ""},
		{"denied", Options{}, []string{call,
			`{"type":"verdict","call_id":"c","risk":"denied","decision":"deny","reason":"no"}`}, "",
			"❯ ls ▐ denied\n⚠ no\n"},
		{"no risk", Options{}, []string{call, `{"type":"verdict","call_id":"c","decision":"allow"}`}, "",
			"❯ ls ▐ no risk named\n" +
				"⚠ the verdict names no risk: the command is not run (ua-events(5))\n"},
		{"an exit status", Options{}, []string{`{"type":"tool_result","exit_code":2}`}, "",
			"  exit 2\n"},
		{"all was well", Options{}, []string{`{"type":"tool_result","exit_code":0}`}, "", ""},
		{"not run", Options{}, []string{`{"type":"tool_result","status":"refused","output":"why"}`}, "",
			"⚠ why\n"},
		{"too long", Options{}, []string{
			`{"type":"tool_result","status":"timeout","duration_ms":1500,"exit_code":143}`}, "",
			"⚠ timed out after 1.5s\n"},
		{"an error of a stage of the user's", Options{}, []string{
			`{"type":"error","stage":"mine","message":"oops"}`}, "", "✗ mine: oops\n"},
		{"an error that its stage has printed", Options{}, []string{
			`{"type":"error","stage":"ua-think","message":"oops"}`}, "", ""},
		{"text is not streamed into a file", Options{}, []string{
			`{"type":"delta","kind":"text","text":"x"}`}, "", ""},
		{"junk", Options{}, []string{"junk", "{}", `{"type":"x"}`}, "", ""},
	} {
		if out, errs := show(t, c.o, c.events...); out != c.out || errs != c.errs {
			t.Errorf("%s: %q, %q", c.name, out, errs)
		}
	}
}

func TestAnswer(t *testing.T) {
	const text = `{"type":"response","content":[{"type":"text","text":"done"}]}`
	const none = `{"type":"response","content":[]}`
	const calls = `{"type":"response","stop_reason":"tool_use","content":[{"type":"tool_use",` +
		`"id":"c"}]}`
	for _, c := range []struct {
		o     Options
		line  string
		out   string
		saved string
		errs  string
	}{
		{Options{}, text, "done\n", "", ""},
		{Options{JSON: true}, text, "", "", ""},
		{Options{ToFile: true}, text, "", "done\n", ""},
		{Options{}, none, "", "", "ua: the model ended without an answer\n"},
		{Options{}, calls, "", "", ""},
	} {
		s := newStreams(t)
		d := New(s.env, c.o, "")
		if err := d.Answer([]byte(c.line)); err != nil {
			t.Error(err)
		}
		out, errs := s.read()
		if out != c.out || errs != c.errs || string(d.Saved) != c.saved {
			t.Errorf("%+v: %q, %q, saved %q", c, out, errs, d.Saved)
		}
	}
}

// A run that failed says why, once, and where to look.
func TestFooter(t *testing.T) {
	const footer = "0↑ 0↓ 0 cmds 2.0s\n"
	for _, c := range []struct {
		name string
		o    Options
		said string // the last error event
		end  End
		want string
	}{
		{"all was well", Options{}, "", End{}, footer},
		{"quiet", Options{Quiet: true}, "", End{}, ""},
		{"a wall", Options{}, `{"type":"verdict","call_id":"c","risk":"privileged","decision":"deny",` +
			`"by":"level","reason":"no"}`, End{1, "ua-gate", "the last command was denied", false},
			"❯  ▐ privileged\n⚠ no\nua: the last command was denied\n" +
				"ua: hint: ua resume abc " +
				"--ask \"go on\" asks you about such commands, and an allow rule lets them run " +
				"(ua help policy)\n" +
				footer},
		{"not asked about", Options{Ask: true}, `{"type":"verdict","call_id":"c","risk":"network",` +
			`"decision":"deny","by":"level","reason":"no"}`,
			End{1, "ua-gate", "the last command was denied", false},
			"❯  ▐ network\n⚠ no\nua: the last command was denied\n" + footer},
		{"no way", Options{}, `{"type":"verdict","call_id":"c","risk":"denied","decision":"deny",` +
			`"by":"level","reason":"no"}`, End{1, "ua-gate", "the last command was denied", false},
			"❯  ▐ denied\n⚠ no\nua: the last command was denied\n" + footer},
		{"a denial", Options{}, "", End{1, "ua-gate", "the last command was denied", false},
			"ua: the last command was denied\n" + footer},
		{"of our own", Options{}, "", End{124, "ua", "reached the time limit of 1s", false},
			"ua: reached the time limit of 1s\nua: hint: ua resume abc --time-limit D continues it\n" +
				footer},
		{"of turns", Options{}, "", End{124, "ua", "reached the limit of 3 turns", false},
			"ua: reached the limit of 3 turns\nua: hint: ua resume abc --max-turns N continues it\n" +
				footer},
		{"of an answer", Options{}, "", End{124, "ua",
			"reached the limit of 2 commands in one answer",
			false}, "ua: reached the limit of 2 commands in one answer\nua: hint: ua resume abc " +
			"continues it\n" + footer},
		{"of ua-think", Options{}, `{"type":"error","stage":"ua-think","message":"spent"}`,
			End{124, "ua-think", "the budget of $1 is spent: $0.99 are used", false},
			"ua: hint: ua resume abc --budget-usd X continues it\n" + footer},
		{"no model asked", Options{}, `{"type":"error","stage":"ua-think","message":"no key"}`,
			End{2, "ua-think", "no key", true}, ""},
		{"said already", Options{}, `{"type":"error","stage":"ua-think","message":"no key"}`,
			End{2, "ua-think", "no key", false},
			"ua: hint: the journal is /r/x-abc/journal.jsonl\n" + footer},
		{"in one line, as for cron", Options{Quiet: true}, "", End{2, "ua-exec", "died", false},
			"ua: ua-exec: died\n"},
		{"for a parent's model", Options{Quiet: true, Depth: 1}, "", End{2, "ua-exec", "died", false},
			"ua: ua-exec: died\nua: hint: the journal is /r/x-abc/journal.jsonl\n"},
		{"stopped", Options{}, "", End{143, "ua", "stopped by SIGTERM", false},
			"ua: stopped by SIGTERM\nua: hint: ua resume abc continues it\n" + footer},
		{"nobody reads", Options{}, "", End{141, "ua", "stdout was closed", false}, footer},
	} {
		s := newStreams(t)
		d := New(s.env, c.o, "/r/x-abc/journal.jsonl")
		if c.said != "" {
			d.Event(event.Type([]byte(c.said)), []byte(c.said))
		}
		d.Footer(&journal.Tally{}, nil, c.end, 2*time.Second)
		if _, errs := s.read(); errs != c.want {
			t.Errorf("%s: %q, want %q", c.name, errs, c.want)
		}
	}
}

// A subagent is a line at its start and one at its end, with those of its own that failed
// below; the footer adds all of them up.
func TestAgent(t *testing.T) {
	s := newStreams(t)
	d := New(s.env, Options{}, "")
	child := &runfolder.Info{Run: run.Run{ID: "x-ccc"}, State: run.Failed, Task: "part of it"}
	i := &runfolder.Info{Run: run.Run{ID: "x-bbb"}, State: run.Completed, Claimed: true,
		Marks:    "✓✗",
		Children: []*runfolder.Info{child, {Run: run.Run{ID: "x-ddd"}, State: run.Completed}}}
	d.Agent([]byte(`{"state":"start","id":"x-bbb","task":"`+"a\x1bb"+`","agent":"explore"}`), i)
	d.Agent([]byte(`{"state":"end","id":"x-bbb","task":"a task"}`), i)
	d.Footer(&journal.Tally{}, nil, End{}, time.Second)
	_, errs := s.read()
	lines := strings.Split(errs, "\n")
	for n, want := range []string{"[bbb] explore: a", "[bbb] a task completed",
		"[bbb/ccc] └ part of it failed",
		"── 3 agents (1 unseen) 2 deep"} {
		if len(lines) <= n || !strings.HasPrefix(lines[n], want) {
			t.Fatalf("line %d is not %q: %q", n+1, want, errs)
		}
	}
	if strings.Contains(errs, "\x1b") || !strings.Contains(lines[1], "0? tok") ||
		!strings.HasSuffix(lines[1], "✓✗") {
		t.Errorf("%q", errs)
	}
}

// The end of a thought that is too long for the line is shown, as wide as it is.
func TestLastColumns(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 10, "short"}, {"a few words more", 12, "… words more"},
		{"look at the remote first", 14, "… remote first"}, {"one  two three", 12, "… two three"},
		{"漢字漢字漢字", 8, "… 字漢字"}, {"no room", 1, "… "},
	} {
		if got := lastColumns(c.line, c.columns); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}
