package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// A limitEdge uses one less than a limit, the limit itself and one more.
type limitEdge struct {
	name string
	// use has a run with the limit 3 use n, and returns the run's exit status and how much of
	// n has come to pass.
	use    func(p *place, n int) (status, done int)
	status [3]int // for 2, 3 and 4
	done   [3]int
}

const edge = 3

var limitEdges = []limitEdge{
	{"max_commands, one in an answer", func(p *place, n int) (int, int) {
		p.recording("main.jsonl", "done", slices.Repeat([]string{"echo x >>ran"}, n)...)
		return p.limited("--max-commands=3")
	}, [3]int{0, 0, 124}, [3]int{2, 3, 3}},
	{"max_commands, all in an answer", func(p *place, n int) (int, int) {
		p.oneAnswer(n, "echo x >>ran")
		return p.limited("--max-commands=3")
	}, [3]int{0, 0, 124}, [3]int{2, 3, 3}},
	{"max_commands, in the settings", func(p *place, n int) (int, int) {
		p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[ua]\nmax_commands = 3\n")
		p.recording("main.jsonl", "done", slices.Repeat([]string{"echo x >>ran"}, n)...)
		return p.limited("--quiet")
	}, [3]int{0, 0, 124}, [3]int{2, 3, 3}},
	{"max_commands, denied ones too", func(p *place, n int) (int, int) {
		p.oneAnswer(n-1, "echo x >>ran", "sudo -n id")
		return p.limited("--max-commands=3")
	}, [3]int{0, 0, 124}, [3]int{1, 2, 2}},
	{"max_calls", func(p *place, n int) (int, int) {
		p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[ua]\nmax_calls = 3\n")
		p.oneAnswer(n, "echo x >>ran")
		return p.limited("--quiet")
	}, [3]int{0, 0, 124}, [3]int{2, 3, 3}},
	{"max_turns", func(p *place, n int) (int, int) {
		p.recording("main.jsonl", "done", slices.Repeat([]string{"echo x >>ran"}, n-1)...)
		status, _ := p.limited("--max-turns=3")
		return status, len(p.events("response"))
	}, [3]int{0, 0, 124}, [3]int{2, 3, 3}},
	{"budget_tokens", func(p *place, n int) (int, int) {
		return p.spending(fmt.Sprintf("--budget-tokens=%d", 100+edge-n))
	}, [3]int{0, 124, 124}, [3]int{2, 1, 1}},
	{"budget_usd", func(p *place, n int) (int, int) {
		return p.spending(fmt.Sprintf("--budget-usd=%g", 1.5+0.001*float64(edge-n)))
	}, [3]int{0, 124, 124}, [3]int{2, 1, 1}},
	{"denials in a row", func(p *place, n int) (int, int) {
		p.recording("main.jsonl", "done", append(slices.Repeat([]string{"sudo -n id"}, n),
			"echo x >>ran")...)
		return p.limited("--quiet")
	}, [3]int{0, 1, 1}, [3]int{1, 0, 0}},
	{"per_hour", func(p *place, n int) (int, int) {
		p.agents("per_hour = 3\n")
		p.recording("leaf.jsonl", "leaf")
		p.recording("main.jsonl", "done", "touch made; "+strings.Repeat(
			"ua -m replay:leaf.jsonl part >>ran; ", n)+"true")
		return p.limited("--quiet")
	}, [3]int{0, 0, 0}, [3]int{2, 3, 3}},
	{"per_parent", func(p *place, n int) (int, int) {
		p.agents("per_parent = 3\n")
		return p.sideBySide(n)
	}, [3]int{0, 0, 0}, [3]int{2, 3, 3}},
	{"at_once", func(p *place, n int) (int, int) {
		p.agents("at_once = 3\nper_parent = 9\n")
		return p.sideBySide(n)
	}, [3]int{0, 0, 0}, [3]int{2, 3, 3}},
	{"max_agent_depth", func(p *place, n int) (int, int) {
		p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[ua]\nmax_agent_depth = 3\n")
		for i := range n - 1 { // the agent at the top is one of those
			p.recording(fmt.Sprintf("%d.jsonl", i+1), "done",
				fmt.Sprintf("echo x >>ran; test -e %d.jsonl || exit 0; ua -m replay:%[1]d.jsonl part", i+2))
		}
		p.recording("main.jsonl", "done", "touch made; ua -m replay:1.jsonl part")
		return p.limited("--quiet")
	}, [3]int{0, 0, 0}, [3]int{1, 2, 2}},
}

// limited runs a task with an option, and returns its status and the lines of the file ran.
func (p *place) limited(option string) (status, ran int) {
	p.t.Helper()
	_, errs, status := p.run("ua", option, "task")
	text, _ := os.ReadFile(filepath.Join(p.cwd, "ran"))
	if status != 0 && errs == "" && option != "--quiet" {
		p.t.Error("nothing is said")
	}
	return status, strings.Count(string(text), "\n")
}

// spending runs a task with an option whose first answer takes 100 tokens and $1.50, and
// returns its status and how often the model was asked.
func (p *place) spending(option string) (status, asked int) {
	p.t.Helper()
	const call = `"id":"c","name":"shell","input":{"command":"echo x >>ran"}}`
	p.write("first", `{"type":"tool_call",`+call+"\n"+`{"type":"response","model":"m",`+
		`"stop_reason":"tool_use","content":[{"type":"tool_use",`+call+`],"usage":{"input":60,`+
		`"cache_read":30,"output":10,"cost_usd":1.5}}`+"\n")
	p.write("second", wholeAnswer)
	_, _, status = p.run("ua", "--think", `while read -r l; do case $l in *'"type":"turn"'*) `+
		`cat first; mv second first;; esac; done`, option, "task")
	return status, len(p.events("response"))
}

// oneAnswer writes a recorded run that begins with an answer of n calls of a command, after
// those of the others.
func (p *place) oneAnswer(n int, command string, others ...string) {
	p.t.Helper()
	var calls []string
	for i, c := range append(others, slices.Repeat([]string{command}, n)...) {
		calls = append(calls, fmt.Sprintf(
			`{"type":"tool_use","id":"c%d","name":"shell","input":{"command":%q}}`, i, c))
	}
	p.write("main.jsonl", `{"type":"response","model":"m","stop_reason":"tool_use","content":[`+
		strings.Join(calls, ",")+"]}\n"+wholeAnswer)
}

// sideBySide has n subagents at once, each of which waits until all that may be are there.
func (p *place) sideBySide(n int) (status, ran int) {
	p.recording("leaf.jsonl", "leaf", fmt.Sprintf("touch made; echo x >>ran; until test "+
		"$(wc -l <ran) -ge %d && test $(cat ran said | wc -l) -ge %d; do sleep 0.02; done",
		min(n, edge), n))
	p.recording("main.jsonl", "done", "touch made said; for i in "+strings.Repeat("x ", n)+
		"; do ua -q -m replay:leaf.jsonl part 2>>said & done; wait")
	return p.limited("--quiet")
}

// TestLimitEdges has each limit of a run let pass what is below it and what reaches it, and
// nothing beyond.
func TestLimitEdges(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, l := range limitEdges {
		for i, n := range []int{edge - 1, edge, edge + 1} {
			t.Run(fmt.Sprintf("%s/%d", l.name, n), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, os.Getuid())
				status, done := l.use(p, n)
				if status != l.status[i] || done != l.done[i] {
					t.Errorf("status %d, %d came to pass; want %d and %d", status, done, l.status[i],
						l.done[i])
				}
			})
		}
	}
}
