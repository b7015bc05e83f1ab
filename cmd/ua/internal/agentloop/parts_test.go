package agentloop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/runlimits"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A span belongs to the trace of who has started the run, where that is one (W3C Trace
// Context).
func TestTraceparent(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	form := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`)
	for value, same := range map[string]bool{
		"00-" + trace + "-b7ad6b7169203331-01": true,
		"":                                     false,
		"00-" + trace[:31] + "-b7ad6b7169203331-01":             false,
		"00-" + strings.ToUpper(trace) + "-b7ad6b7169203331-01": false,
		"00-" + trace + "-b7ad6b7169203331":                     false,
		"00-" + trace[:30] + "\n\"-b7ad6b7169203331-01":         false,
	} {
		t.Setenv(run.EnvTrace, value)
		got := traceparent()
		if !form.MatchString(got) || strings.Contains(got, trace) != same {
			t.Errorf("%q: %s", value, got)
		}
		if got == value || got == traceparent() {
			t.Errorf("%q: a span that is not new", value)
		}
	}
}

// The first event of a run names what bounds it and nothing that does not.
func TestStart(t *testing.T) {
	o := &options{terms: terms{Limits: runlimits.Limits{Turns: 3, Commands: 4}}, depth: 1,
		parent: "/r/above"}
	line := gjson.ParseBytes(runEvent(o, &task{text: "a \"task\""}, "id", "00-x"))
	if line.Get("type").Str != "run" || line.Get("parent").Str != "above" ||
		line.Get("task").Str != `a "task"` || line.Get("depth").Int() != 1 ||
		line.Get("limits").Raw != `{"max_turns":3,"max_commands":4}` || line.Get("agent").Exists() ||
		line.Get("background").Exists() || line.Get("version").Str != prog.Version() {
		t.Error(line)
	}
	o = &options{terms: terms{Limits: runlimits.Limits{Budget: spending.Budget{Tokens: 5, USD: 0.25}},
		TimeLimit: config.Duration(time.Second)}, background: true,
		def: agents.Definition{Mode: "reflexion", Tools: []string{"x", "y"}}}
	line = gjson.ParseBytes(runEvent(o, &task{}, "id", "00-x"))
	if line.Get("limits.time_limit_ms").Int() != 1000 ||
		line.Get("limits.budget_tokens").Int() != 5 || line.Get("limits.budget_usd").Num != 0.25 ||
		!line.Get("background").Bool() || line.Get("mode").Str != "reflexion" ||
		line.Get("tools").Str != "x y" {
		t.Error(line)
	}
}

func TestRefusal(t *testing.T) {
	for status, stage := range map[string]string{"denied": "ua-gate", "refused": "ua-exec", "run": "",
		"timeout": "", "": ""} {
		o := refusalOf(status)
		if (o == nil) != (stage == "") || o != nil && (o.stage != stage || o.status != prog.No) {
			t.Errorf("%s: %+v", status, o)
		}
	}
}

// What one run's commands are told of its sockets is not told to those of the next.
func TestWithoutOutlets(t *testing.T) {
	got := withoutOutlets([]string{"A=1", run.EnvGateway + "=x", run.EnvToken + "=x",
		run.EnvGateway + "X=1", "B"})
	if !slices.Equal(got, []string{"A=1", run.EnvGateway + "X=1", "B"}) {
		t.Errorf("%q", got)
	}
}

// An answer can't end the marks that it stands between.
func TestUnmarked(t *testing.T) {
	for _, text := range []string{"<agent_answer>", "</agent_answer>", "a</agent_answer>b",
		"<</agent_answer>/agent_answer>", "<agent_<agent_answer>answer>"} {
		if got := unmarked(text); strings.Contains(got, "<agent_answer>") ||
			strings.Contains(got, "</agent_answer>") {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := unmarked("a < b <agent>"); got != "a < b <agent>" {
		t.Error(got)
	}
}

// TestManyFolders: ten thousand folders beside those of subagents cost a look next to
// nothing, and a subagent among them is found all the same.
func TestManyFolders(t *testing.T) {
	l := &loop{o: &options{}, run: run.Run{ID: "top", Dir: t.TempDir()}}
	for i := range 10_000 {
		if err := os.MkdirAll(filepath.Join(l.subDir(), fmt.Sprintf("%05d", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	later := time.Now().Add(4 * time.Second) // so that they are young for nine seconds
	for i := range 10_000 {
		dir := filepath.Join(l.subDir(), fmt.Sprintf("%05d", i))
		if err := os.Chtimes(dir, later, later); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(l.subDir(), old, old); err != nil {
		t.Fatal(err)
	}
	look := func() {
		l.lookForAgents(false)
	}
	if n := testing.AllocsPerRun(5, look); n > 50*newLooks {
		t.Errorf("a look allocates %.0f times", n)
	}
	seen := map[int]bool{}
	for range 10_000/newLooks + 1 {
		seen[l.agents.at] = true
		l.lookForAgents(false)
	}
	if len(seen) < 10_000/newLooks {
		t.Errorf("only %d parts of the list are looked at", len(seen))
	}
	if err := os.Mkdir(filepath.Join(l.subDir(), "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if look(); len(l.agents.list) != 10_001 {
		t.Errorf("%d folders are known", len(l.agents.list))
	}
}

// An agent that works in two steps gets its second one once.
func TestPhase(t *testing.T) {
	for _, c := range []struct {
		mode     string
		commands int
		want     string
	}{
		{"", 0, ""},
		{"plan_and_solve", 0, "Now carry out your plan"},
		{"plan_and_solve", 1, ""}, // which has begun by itself
		{"reflexion", 3, "Criticise your answer"},
	} {
		l := &loop{o: &options{def: agents.Definition{Mode: c.mode}},
			usage: usage{count: runlimits.Count{Commands: c.commands}}}
		if got := l.phase(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s after %d commands: %q", c.mode, c.commands, got)
		}
		if got := l.phase(); got != "" {
			t.Errorf("%s, a second time: %q", c.mode, got)
		}
	}
}

// Hooks beside pre_exec are those that a watcher runs.
func TestWatchedHooks(t *testing.T) {
	watched := regexp.MustCompile(watchedHooks)
	for text, want := range map[string]bool{
		"[[hooks.post_exec]]":            true,
		"x = 1\n  [[ hooks . session_":   true,
		"[[hooks.subagent_end]]":         true,
		"[[hooks.pre_exec]]":             false,
		"# [[hooks.post_exec]]":          false,
		"reason = \"[[hooks.post_exec\"": false,
		"":                               false,
	} {
		if watched.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// Words that were meant as a task get a hint; IDs and what was quoted do not.
func TestAsTask(t *testing.T) {
	for _, c := range []struct {
		words string
		hint  bool
	}{
		{"the tests", true}, {"abcdef", false}, {"20260102-030405", false}, {"my 2 tests", true},
		{"last", false},
	} {
		err := AsTask("stop", strings.Fields(c.words), prog.Errorf(prog.Trouble, "no such run"))
		if _, hint := err.(*prog.Error); !hint ||
			strings.Contains(err.(*prog.Error).Hint, "stop "+c.words) != c.hint {
			t.Errorf("%s: %+v", c.words, err)
		}
	}
}

// TestEnvJudged: only ua-sandbox and the ua-exec that ua itself puts into it are told that
// the environment has been judged. No stage of the user's, and none outside, is.
func TestEnvJudged(t *testing.T) {
	bin := t.TempDir() // beside a test there are no programs of ours
	for _, name := range []string{"ua-sandbox", "ua-exec"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("TMPDIR", "/nowhere")
	t.Setenv("A_SECRET_TOKEN", "k3J9xQ2mVt7LpR8w")
	for _, own := range []string{"", "ua-exec --ungated"} {
		l := &loop{o: &options{terms: terms{Exec: own, Ask: true, Profile: "network"},
			sandboxProfile: "network"},
			run: run.Run{ID: "top", Dir: t.TempDir()}}
		list, err := l.hands("")
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range list {
			inside := own == "" && i == 0
			if slices.Contains(c.Argv, "--env-judged") != inside {
				t.Errorf("%q: told: %v", c.Argv, !inside)
			}
			if inside {
				end := slices.Index(c.Argv, "--")
				box, exec := strings.Join(c.Argv[:end], " "), c.Argv[end:]
				if !strings.Contains(box, "--env-judged --withhold A_SECRET_TOKEN") ||
					!slices.Contains(exec, "--env-judged") || slices.Contains(exec, "--withhold") {
					t.Errorf("told: %q", c.Argv)
				}
			}
		}
		if len(list) != 2 && own == "" || len(list) != 1 && own != "" {
			t.Errorf("%q: %d stages", own, len(list))
		}
	}
}
