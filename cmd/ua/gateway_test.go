package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// events is the events of a type in the newest run's journal.
func (p *place) events(typ string) (list []gjson.Result) {
	p.t.Helper()
	text, _, _ := p.run("ua-journal", "cat", "last")
	for line := range strings.Lines(text) {
		if r := gjson.Parse(line); r.Get("type").Str == typ {
			list = append(list, r)
		}
	}
	return list
}

// TestGateway has subagents, two deep, ask the model without a key.
func TestGateway(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.model("call: env | grep -c sk-ant; ua 'a part'\n---\ntext: all done")
		if out, errs, status := p.run("ua", "task"); status != 0 || out != "all done\n" {
			t.Fatalf("uid %d: status %d, %q, %s", uid, status, out, errs)
		}
		if out := p.outputs()[0].Get("output").Str; !strings.HasPrefix(out,
			"<terminal_output>\n0\n[ua:sub") || !strings.Contains(out, "all done") {
			t.Errorf("uid %d: %s", uid, out)
		}
		if n := len(p.glob("*/sub/*/sub/*/journal.jsonl")); n != 1 {
			t.Errorf("uid %d: %d runs at depth 2", uid, n)
		}
		// The lowest one's requests pass through the gateway of the one in the middle, and
		// bear its own name here.
		asked := map[string]int{}
		for _, r := range p.events("model_request") {
			asked[r.Get("agent").Str]++
		}
		middle, lowest := p.glob("*/sub/2*")[0], p.glob("*/sub/2*/sub/2*")[0]
		if asked[filepath.Base(middle)] != 2 || asked[filepath.Base(lowest)] != 2 || len(asked) != 2 {
			t.Errorf("uid %d: requests of descendants: %v", uid, asked)
		}
		if audit, _, _ := p.run("ua-journal", "cat", "audit"); strings.Count(audit,
			`"type":"descendant"`) != 3 {
			t.Errorf("uid %d: what descendants were proposed: %s", uid, audit)
		}
		if out, errs, status := p.run("ua-journal", "verify", "--all"); status != 0 {
			t.Errorf("uid %d: %s%s", uid, out, errs)
		}
	}
}

// TestNoKeyNoToken finds, in a command that starts no agent, neither the key nor the
// token, in the environment of any process, and no way in without it.
func TestNoKeyNoToken(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		look := `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c -e sk-ant -e UA_GATEWAY`
		knock := `curl -s -o /dev/null -w '%{http_code}' ` +
			`--unix-socket "${UA_JOURNAL%/*}/gateway.sock" http://x/v1/models`
		p.model("call: " + look + "\ncall: " + knock + "\n---\ntext: done")
		p.run("ua", "task")
		if out := p.outputs()[0].Get("output").Str; !strings.Contains(out, "\n0\n") {
			t.Errorf("uid %d: the key or the token: %s", uid, out)
		}
		if out := p.outputs()[1].Get("output").Str; !strings.Contains(out, "\n401\n") &&
			!strings.Contains(out, "\n000\n") {
			t.Errorf("uid %d: without the token: %s", uid, out)
		}
	}
}

// TestDepthOfTree lets no agent stand deeper than three, whatever it says of itself.
func TestDepthOfTree(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, command := range []string{"ua 'deeper'", "UA_DEPTH=0 ua 'deeper'",
		"env -u UA_DEPTH ua 'deeper'"} {
		p := newPlace(t, os.Getuid())
		p.model("call: " + command + "\n---\ntext: done")
		p.run("ua", "task")
		if n := len(p.glob("*/sub/*/sub/*/journal.jsonl")); n != 1 {
			t.Errorf("%s: %d at depth 2", command, n)
		}
		if n := len(p.glob("*/sub/*/sub/*/sub/*/journal.jsonl")); n != 0 {
			t.Errorf("%s: %d at depth 3", command, n)
		}
		kept, _ := os.ReadFile(strings.Join(p.glob("*/sub/*/sub/*/journal.jsonl"), ""))
		if !strings.Contains(string(kept), "[ua:depth-limit depth=3 max=3]") {
			t.Errorf("%s: %s", command, kept)
		}
	}
}

// leafAllowed are settings that let commands ask other models than the run's own.
const leafAllowed = "[ua]\n" +
	"models = [\"anthropic/leaf\", \"anthropic/middle\", \"anthropic/low\", " +
	"\"anthropic/committed\", \"anthropic/changed\", \"anthropic/hostile\"]\n"

// allowLeaf writes them.
func (p *place) allowLeaf() {
	p.write(filepath.Join(p.home, ".config/ua/config.toml"), leafAllowed)
}

// wide starts n agents side by side, each of which runs a command.
func wide(p *place, n int) {
	p.t.Helper()
	p.write(filepath.Join(p.home, ".config/ua/config.toml"),
		"[agents]\nat_once = 100\nper_parent = 100\nper_hour = 1000\ntokens = 1000\n"+leafAllowed)
	m := p.model(fmt.Sprintf("call: for i in $(seq %d); do ua --model anthropic/leaf \"part $i\" & "+
		"done; wait\n---\ntext: all done", n))
	leaf := []byte("call: echo mine\n---\ntext: part done\n")
	os.WriteFile(filepath.Join(m.Dir, "model.leaf"), leaf, 0o644)
}

// TestFiftyAgents has every one of fifty agents accounted for.
func TestFiftyAgents(t *testing.T) {
	p := newPlace(t, os.Getuid())
	wide(p, 50)
	out, errs, status := p.run("ua", "task")
	if status != 0 || out != "all done\n" {
		t.Fatalf("status %d, %q, %.2000s", status, out, errs)
	}
	if got := strings.Count(p.outputs()[0].Get("output").Str, "part done"); got != 50 {
		t.Errorf("%d answers: %s", got, p.outputs()[0])
	}
	ends := map[string]int{}
	for _, e := range p.events("subagent") {
		if e.Get("state").Str == "end" {
			ends[e.Get("outcome").Str]++
		}
	}
	if ends["completed"] != 50 || len(ends) != 1 {
		t.Errorf("ends: %v", ends)
	}
	if lines := strings.Count(errs, "\n"); lines > 110 ||
		!strings.Contains(errs, "── 50 agents 1 deep") {
		t.Errorf("%d lines: %s", lines, errs)
	}
}

// TestAgentsInTree has two agents start three each where a tree has room for four: two
// of the six find a place, though those that start them have room for three.
func TestAgentsInTree(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[agents]\nat_once = 4\n")
		p.recording("main.jsonl", "all done",
			"touch made; ua --model replay:mid.jsonl a & ua --model replay:mid.jsonl b & wait")
		p.recording("mid.jsonl", "part done",
			"mkdir one || mkdir two; until test -e two; do sleep 0.02; done; "+
				"for i in 1 2 3; do ua --model replay:leaf.jsonl $i 2>>said & done; wait; "+
				"until test -e go; do sleep 0.02; done") // an agent that ends leaves its place to a late one
		p.recording("leaf.jsonl", "leaf done", "touch made; until test -e go; do sleep 0.02; done")
		cmd := p.command("ua", "-q", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := func() string {
			text, _ := os.ReadFile(filepath.Join(p.cwd, "said"))
			return string(text)
		}
		defer func() {
			if t.Failed() {
				t.Logf("uid %d: %.3000s", uid, said())
			}
		}()
		scripttest.Await(t, "six answers", func() bool {
			return strings.Count(said(), "[ua:agents-limit now=4 max=4]") == 4 &&
				strings.Count(said(), "[ua:sub ") == 2
		})
		p.write("go", "")
		if err := cmd.Wait(); err != nil {
			t.Errorf("uid %d: %v", uid, err)
		}
		if n := len(p.glob("*/sub/*/sub/*/journal.jsonl")); n != 2 {
			t.Errorf("uid %d: %d leaves: %s", uid, n, said())
		}
	}
}

// TestBudgetOfTree holds fifty agents at once to one budget.
func TestBudgetOfTree(t *testing.T) {
	p := newPlace(t, os.Getuid())
	wide(p, 50)
	const budget = 3000
	_, errs, status := p.run("ua", "--budget-tokens", fmt.Sprint(budget), "task")
	if status != 124 || !strings.Contains(errs, "the budget of 3000 tokens") {
		t.Errorf("status %d, %s", status, errs)
	}
	taken, refused := int64(0), 0
	for _, r := range p.events("model_request") {
		u := r.Get("usage")
		taken += u.Get("input").Int() + u.Get("cache_read").Int() + u.Get("output").Int()
		if r.Get("decision").Str == "refused" {
			refused++
		}
	}
	if taken > budget || taken == 0 {
		t.Errorf("the agents took %d tokens, %d requests were refused", taken, refused)
	}
}

// TestSharedBudget holds a run and its subagents to one budget together, and a run that is
// resumed to what it has spent before, however much of that its conversation still shows.
func TestSharedBudget(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.allowLeaf()
	// The gateway tells of an answer beside the pipe, and so a moment later on a loaded machine.
	m := p.model("call: ua --model anthropic/leaf 'a part'; sleep 1\n---\ncall: true\n---\n" +
		"text: done\n---\ntext: done")
	// Each answer takes 135 tokens: in all 810, of which the run itself sees 540.
	os.WriteFile(filepath.Join(m.Dir, "model.leaf"), []byte("call: true\n---\ntext: leaf\n"), 0o644)
	if _, errs, status := p.run("ua", "--context-tokens", "9000", "--budget-tokens", "5000",
		"task"); status != 0 {
		t.Fatalf("status %d, %s", status, errs)
	}
	spent := []int64{}
	for _, r := range p.events("turn") {
		spent = append(spent, r.Get("spent.tokens").Int())
	}
	if fmt.Sprint(spent) != "[0 405 540]" {
		t.Errorf("the turns say that %v was spent", spent)
	}
	_, errs, status := p.run("ua", "resume", "--budget-tokens", "670", "last", "more")
	if n := len(m.Requests()); status != 124 || n != 5 {
		t.Errorf("resumed: status %d, %d requests, %s", status, n, errs)
	}
}

// TestSpentAbove: what a run has spent itself is not there for its subagents. Their
// answers are bounded to what is left, which a request shows.
func TestSpentAbove(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.allowLeaf()
	m := p.model("call: true\n---\ncall: true\n---\ncall: true\n---\n" +
		"call: ua --model anthropic/leaf 'a part'\n---\ntext: done")
	os.WriteFile(filepath.Join(m.Dir, "model.leaf"), []byte("text: leaf\n"), 0o644)
	const budget, spent = 5000, 4 * 135
	p.run("ua", "--budget-tokens", fmt.Sprint(budget), "task")
	most := int64(0)
	for _, path := range m.Requests() {
		body, _ := os.ReadFile(path)
		if r := gjson.ParseBytes(body); r.Get("model").Str == "leaf" {
			most = r.Get("max_tokens").Int() + int64(len(body))/4 // the answer's and the prompt's
		}
	}
	if most == 0 || most > budget-spent/2 {
		t.Errorf("a subagent could take %d tokens", most)
	}
}

// TestCommandsAsk: whatever a command asks itself is within the run's limits, of the run's own
// model, and in its summary; and it is asked in events, so nothing else can be.
func TestCommandsAsk(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.write("Makefile", "all:\n"+
			"\tfor i in 1 2 3 4 5 6 7 8 9; do ua-think \"q$$i\" >/dev/null & done; wait\n"+
			"\t-ua-think --model anthropic/dear q\n\t-ua-think models\n"+
			"\t-curl -sS --unix-socket $$UA_GATEWAY "+
			"-H \"x-api-key: $$UA_GATEWAY_TOKEN\" http://x/v1/models\n"+
			"\techo $$UA_GATEWAY_TOKEN >token; echo $$UA_GATEWAY >socket\n")
		m := p.model("call: ua --version; make -s all 2>&1\n---\ncall: ua --version; " +
			"UA_GATEWAY=$(cat socket) UA_GATEWAY_TOKEN=$(cat token) ua-think again\n---\ntext: done")
		os.WriteFile(filepath.Join(m.Dir, "model.dear"), []byte("text: dear\n"), 0o644)
		if _, errs, status := p.run("ua", "--max-turns", "6", "task"); status != 0 {
			t.Fatalf("uid %d: status %d, %s", uid, status, errs)
		}
		first, second := p.outputs()[0].Get("output").Str, p.outputs()[1].Get("output").Str
		for _, want := range []string{"reached the limit of 6 questions",
			`commands of this run may not ask "anthropic/dear"`, "Empty reply"} {
			if !strings.Contains(first, want) {
				t.Errorf("uid %d: %s", uid, first)
			}
		}
		if !strings.Contains(second, "not one of a command that runs now") {
			t.Errorf("uid %d: with the token of the command before: %s", uid, second)
		}
		tokens, asked := int64(0), 0
		for _, typ := range []string{"response", "model_request"} {
			for _, r := range p.events(typ) {
				if u := r.Get("usage"); u.Exists() {
					asked++
					tokens += u.Get("input").Int() + u.Get("cache_read").Int() + u.Get("cache_write").Int() +
						u.Get("output").Int()
				}
			}
		}
		s := p.events("summary")[0]
		if got := s.Get("tokens_in").Int() + s.Get("tokens_out").Int(); got != tokens || tokens == 0 {
			t.Errorf("uid %d: the summary has %d tokens of %d", uid, got, tokens)
		}
		// The run asks twice more after the command, which could ask five times.
		if n := len(m.Requests()); n != asked || n != 8 {
			t.Errorf("uid %d: %d were asked, %d are counted", uid, n, asked)
		}
	}
}

// TestMiddleKilled kills an agent in the middle of a tree: what is below it ends, and
// its parent goes on.
func TestMiddleKilled(t *testing.T) {
	scripttest.NeedProcesses(t)
	p := newPlace(t, os.Getuid())
	p.allowLeaf()
	m := p.model("call: ua --model anthropic/middle 'the middle'; echo middle ended with " +
		"$?\n---\ntext: all done")
	os.WriteFile(filepath.Join(m.Dir, "model.middle"),
		[]byte("call: ua --model anthropic/low 'the lowest'\n---\ntext: never\n"), 0o644)
	os.WriteFile(filepath.Join(m.Dir, "model.low"),
		[]byte("call: setsid sleep 301 & sleep 302\n---\ntext: never\n"), 0o644)
	cmd := p.command("ua", "task")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var below []process
	scripttest.Await(t, "the lowest command", func() bool {
		for _, q := range descendants(cmd.Process.Pid) {
			if strings.HasSuffix(q.name, " the middle") && is(q, "ua") {
				below = descendants(q.pid)
			}
		}
		return strings.Contains(fmt.Sprint(below), "sleep 302")
	})
	syscall.Kill(below[0].pid, syscall.SIGKILL)
	for _, q := range below {
		if strings.HasSuffix(q.name, " the middle") && is(q, "ua") {
			syscall.Kill(q.pid, syscall.SIGKILL)
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 ||
		!strings.Contains(p.outputs()[0].Get("output").Str, "middle ended with 137") {
		t.Errorf("status %d: %s", code, p.outputs()[0])
	}
	scripttest.Await(t, "the end of all", func() bool { return len(alive(below)) == 0 })
	for _, e := range p.events("subagent") {
		if e.Get("state").Str == "end" && e.Get("outcome").Str != "failed" {
			t.Errorf("%s", e)
		}
	}
}
