package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// agents gives the user's [agents] these lines.
func (p *place) agents(lines string) {
	p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[agents]\n"+lines)
}

// TestRefusals has each limit of agents refuse in a line that says which it is, what
// there is and what may be.
func TestRefusals(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("leaf.jsonl", "leaf done", "touch made; until test -e go; do sleep 0.02; done")
	p.recording("main.jsonl", "all done",
		"touch made; for i in 1 2 3; do ua --model replay:leaf.jsonl $i 2>>said & done; "+
			"until grep -q limit said; do sleep 0.02; done; touch go; wait")
	p.agents("per_parent = 2\n")
	p.run("ua", "task")
	said := func() string {
		text, _ := os.ReadFile(filepath.Join(p.cwd, "said"))
		return string(text)
	}
	if strings.Count(said(), "[ua:agents-limit now=2 max=2]") != 1 ||
		len(p.glob("*/sub/*/journal.jsonl")) != 2 {
		t.Errorf("per parent: %s", said())
	}

	p.agents("per_hour = 2\n")
	p.recording("main.jsonl", "all done",
		"touch made; for i in 1 2 3; do ua --model replay:leaf.jsonl $i; echo \"status $?\"; done")
	p.run("ua", "task")
	if text := p.outputs()[0].Get("output").Str; strings.Count(text, "status 0") != 2 ||
		!strings.Contains(text, "[ua:spawn-limit now=2 max=2]\nstatus 75") {
		t.Errorf("per hour: %s", text)
	}
}

// TestClamped has wishes of subagents that are too large, or made through settings of
// their own, shrink to what the run above may give.
func TestClamped(t *testing.T) {
	scripttest.NeedProcesses(t)
	p := newPlace(t, os.Getuid())
	p.agents("time = \"40s\"\ntime_max = \"50s\"\ntokens = 700\ntokens_max = 900\nper_parent = 2\n")
	p.recording("leaf.jsonl", "leaf done", "true")
	p.recording("main.jsonl", "all done", "touch made; ua --model replay:leaf.jsonl usual; "+
		"mkdir -p own/ua; printf '[agents]\\ntime = \"9m\"\\ntokens = 5000\\nper_parent = 50\\nat_once "+
		"= 50\\n' >own/ua/config.toml; "+
		"XDG_CONFIG_HOME=$PWD/own ua --time-limit 3m --budget-tokens 800000 --model replay:leaf.jsonl "+
		"wishes; "+
		"XDG_CONFIG_HOME=$PWD/own UA_DEPTH=0 UA_RUN_DIR= ua --time-limit 10s --budget-tokens 50 "+
		"--model replay:leaf.jsonl less")
	p.run("ua", "task")
	text := p.outputs()[0].Get("output").Str
	for _, want := range []string{"--time-limit 3m0s is more than a subagent may have: it gets 50s",
		"--budget-tokens 800000 is more than a subagent may have: it gets 900"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	limits := map[string]string{}
	for _, path := range p.glob("*/sub/*/journal.jsonl") {
		kept, _ := os.ReadFile(path)
		begin := gjson.ParseBytes([]byte(strings.SplitN(string(kept), "\n", 2)[0]))
		limits[begin.Get("task").Str] = begin.Get("limits.time_limit_ms").Raw + " " +
			begin.Get("limits.budget_tokens").Raw
	}
	for task, want := range map[string]string{"usual": "40000 700", "wishes": "50000 900",
		"less": "10000 50"} {
		if limits[task] != want {
			t.Errorf("%s: %q, want %q", task, limits[task], want)
		}
	}
}

// TestWorktreeInside has a subagent work in a tree of its own: its parent's files stay as
// they are, and the branch is there for the parent to take.
func TestWorktreeInside(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.repository()
		p.recording(filepath.Join(p.home, "leaf.jsonl"), "leaf done",
			"echo new >file; git add file; git commit -qm new; pwd")
		p.recording(filepath.Join(p.home, "main.jsonl"), "all done",
			"touch \"$TMPDIR/x\"; ua --isolate worktree --model replay:"+p.home+
				"/leaf.jsonl part; git branch --list 'ua/*'; git status --short")
		p.env = append(p.env, "UA_MODEL=replay:"+p.home+"/main.jsonl")
		_, errs, status := p.run("ua", "task")
		list := p.glob("*/sub/*/journal.jsonl")
		if status != 0 || len(list) != 1 {
			t.Fatalf("uid %d: status %d, %s%v", uid, status, errs, p.outputs())
		}
		kept, _ := os.ReadFile(list[0])
		isolation := ""
		for line := range strings.Lines(string(kept)) {
			if gjson.Get(line, "type").Str == "isolation" {
				isolation += gjson.Get(line, "got").Str + gjson.Get(line, "why").Str + " " +
					gjson.Get(line, "state").Str + ";"
			}
		}
		path := filepath.Join(filepath.Dir(list[0]), "worktree/agent-1/file")
		if text, err := os.ReadFile(path); err != nil || string(text) != "new\n" ||
			isolation != "worktree ;worktree worktree_kept;" {
			t.Errorf("uid %d: %s, %q %v", uid, isolation, text, err)
		}
		id := filepath.Base(filepath.Dir(list[0]))
		if text, _ := os.ReadFile(filepath.Join(p.cwd, "file")); string(text) != "one\n" ||
			p.git("show", "ua/"+id+"-agent-1:file") != "new" || p.git("status", "--short") != "" {
			t.Errorf("uid %d: the parent's checkout: %q, %v", uid, text, p.outputs())
		}
	}
}
