package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestAgentCeiling runs the same commands as agents that may do more or less.
func TestAgentCeiling(t *testing.T) {
	for _, uid := range users() {
		for _, c := range []struct {
			agent         string
			wrote, plan   bool
			deniedOrFails bool
		}{
			{"general", true, false, false},
			{"explore", false, false, true},
			{"plan", false, true, true},
			{"mine", true, false, false},
			{"careful", false, false, true},
		} {
			p := newPlace(t, uid)
			p.write(".ua/agents/careful.md", "---\nname: careful\ndescription: reads\ntools: [read]\n---\n")
			p.write(filepath.Join(p.home, ".config/ua/agents/mine.md"),
				"---\nname: mine\ndescription: writes\ntools: [read, write]\npermissions: trusted\n---\nYou "+
					"are mine.\n")
			p.recording("main.jsonl", "done", "ls", "echo x > made",
				"mkdir -p .ua/plans; echo plan > .ua/plans/a.md")
			p.run("ua", "--agent", c.agent, "task")
			_, err := os.Stat(filepath.Join(p.cwd, "made"))
			_, err2 := os.Stat(filepath.Join(p.cwd, ".ua/plans/a.md"))
			if (err == nil) != c.wrote || (err2 == nil) != c.plan {
				t.Errorf("uid %d, %s: made %v, plan %v: %s", uid, c.agent, err, err2, p.outputs())
			}
			if r := p.outputs(); r[0].Get("exit_code").Int() != 0 ||
				(r[1].Get("exit_code").Int() != 0 || r[1].Get("status").Str == "denied") != c.deniedOrFails {
				t.Errorf("uid %d, %s: %s", uid, c.agent, r)
			}
		}
	}
}

func TestAgentPrompt(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.write(filepath.Join(p.home, ".config/ua/agents/mine.md"),
		"---\nname: mine\ndescription: does my things\nmodel: no-such-alias\nmax_iterations: "+
			"1\n---\nYou are mine.\n")
	p.recording("main.jsonl", "done", "true", "true")
	if _, errs, status := p.run("ua", "--agent", "mine", "--context", "ticket=42",
		"task"); status != 124 || !strings.Contains(errs, "reached the limit of 1 turn") {
		t.Errorf("status %d, %s", status, errs)
	}
	kept, _ := os.ReadFile(p.glob("*/journal.jsonl")[0])
	system := gjson.GetBytes(kept, `..#(type=="system").text`).Str
	if !strings.Contains(system, "You are mine.") || !strings.Contains(system,
		"- mine: does my things") || !strings.Contains(system, `ua "instruction"`) {
		t.Errorf("%s", system)
	}
	if run := gjson.GetBytes(kept, `..#(type=="run").agent`).Str; run != "mine" {
		t.Errorf("run event: %s", run)
	}
	instruction := gjson.GetBytes(kept, `..#(type=="instruction")`)
	if instruction.Get("text").Str != "task" ||
		instruction.Get("attachments.0.text").Str != "ticket=42" {
		t.Errorf("%s", instruction)
	}
	if where := instruction.Get("attachments.1.text").Str; !strings.Contains(where, p.cwd) ||
		len(where) > 400 {
		t.Errorf("%d bytes: %s", len(where), where)
	}
	if _, errs, status := p.run("ua", "--agent", "explor", "task"); status != 2 ||
		!strings.Contains(errs, "did you mean explore?") {
		t.Errorf("status %d, %s", status, errs)
	}
	if out, _, _ := p.run("ua", "agents"); !strings.Contains(out, "explore  built-in  read_only") ||
		!strings.Contains(out, "mine     user") {
		t.Errorf("%s", out)
	}
}

// TestAgentModes has the second step follow the first answer.
func TestAgentModes(t *testing.T) {
	for _, c := range []struct{ mode, model, told, answer string }{
		{"plan_and_solve", "text: 1. look\n---\ncall: true\n---\ntext: looked",
			"Now carry out your plan", "looked\n"},
		{"plan_and_solve", "call: true\n---\ntext: done at once", "", "done at once\n"},
		{"reflexion", "text: first try\n---\ntext: better", "Criticise your answer", "better\n"},
		{"react", "text: first try\n---\ntext: never", "", "first try\n"},
	} {
		p := newPlace(t, os.Getuid())
		p.write(filepath.Join(p.home, ".config/ua/agents/a.md"),
			"---\nname: a\ndescription: b\nmode: "+c.mode+"\n---\n")
		p.model(c.model)
		if out, errs, status := p.run("ua", "--agent", "a", "task"); out != c.answer || status != 0 {
			t.Errorf("%s: status %d, %q, %s", c.mode, status, out, errs)
		}
		kept, _ := os.ReadFile(p.glob("*/journal.jsonl")[0])
		if said := gjson.GetBytes(kept, `..#(type=="message").text`).Str; !strings.HasPrefix(said,
			c.told) || c.told == "" && said != "" {
			t.Errorf("%s: told %q", c.mode, said)
		}
	}
}

// TestNoAgents has neither the prompt nor the gate offer what is switched off.
func TestNoAgents(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[agents]\nenabled = false\n")
	p.recording("main.jsonl", "done", "ua 'a part'", "true")
	p.run("ua", "task")
	kept, _ := os.ReadFile(p.glob("*/journal.jsonl")[0])
	if strings.Contains(gjson.GetBytes(kept, `..#(type=="system").text`).Str, "delegate") {
		t.Error("the prompt offers agents")
	}
	if r := p.outputs()[0]; r.Get("status").Str != "denied" ||
		!strings.Contains(r.Get("output").Str, "may start no agents") {
		t.Errorf("%s", r)
	}
}

func TestOutput(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.write("answer", "the old one\n")
	p.recording("main.jsonl", "the new one", "sudo rm -rf /")
	if out, _, status := p.run("ua", "-o", "answer", "task"); status != 1 || out != "" {
		t.Errorf("a failed task: status %d, %q", status, out)
	}
	if kept, _ := os.ReadFile(filepath.Join(p.cwd, "answer")); string(kept) != "the old one\n" {
		t.Errorf("after a failed task: %q", kept)
	}
	p.recording("main.jsonl", "the new one", "true")
	if out, errs, status := p.run("ua", "-o", "answer", "task"); status != 0 || out != "" {
		t.Errorf("status %d, %q, %s", status, out, errs)
	}
	if kept, _ := os.ReadFile(filepath.Join(p.cwd, "answer")); string(kept) != "the new one\n" {
		t.Errorf("%q", kept)
	}
	if _, errs, status := p.run("ua", "-o", "none/answer", "task"); status != 2 ||
		!strings.Contains(errs, "no such file or directory") {
		t.Errorf("status %d, %s", status, errs)
	}
}

func TestContinue(t *testing.T) {
	p := newPlace(t, os.Getuid())
	m := p.model("text: one\n---\ntext: two")
	p.run("ua", "the first")
	if out, errs, _ := p.run("ua", "-c", "the second"); out != "two\n" {
		t.Errorf("%q, %s", out, errs)
	}
	if second, _ := os.ReadFile(filepath.Join(m.Dir, "requests/2")); !strings.Contains(string(second),
		"the first") {
		t.Errorf("%s", second)
	}
}

// TestAgentJudge has an agent whose definition asks for a judge: what the judge takes of a
// model counts in the run's budget and totals, and a gate of the user's own does not do
// without it.
func TestAgentJudge(t *testing.T) {
	judged := func(t *testing.T, decision string) *place {
		p := newPlace(t, os.Getuid())
		p.write(filepath.Join(p.home, ".config/ua/agents/mine.md"),
			"---\nname: mine\ndescription: is judged\njudge: write\n---\n")
		p.write(filepath.Join(p.home, ".config/ua/policy.toml"), "[judge]\ncommand = ['echo', "+
			`'{"type":"response","model":"a/judge","content":[{"type":"text","text":`+
			`"{\"decision\":\"`+decision+`\",\"reason\":\"so I say\"}"}],`+
			`"usage":{"input":900,"output":100,"cost_usd":0.25}}']`+"\n")
		p.recording("main.jsonl", "done", "ls", "touch one", "touch two")
		return p
	}
	made := func(p *place, name string) bool {
		_, err := os.Stat(filepath.Join(p.cwd, name))
		return err == nil
	}
	totals := func(p *place) gjson.Result {
		kept, _ := os.ReadFile(p.glob("*/journal.jsonl")[0])
		return gjson.GetBytes(kept, `..#(type=="summary")`)
	}
	t.Run("totals", func(t *testing.T) {
		p := judged(t, "allow")
		_, errs, status := p.run("ua", "--agent", "mine", "task")
		sum := totals(p)
		if status != 0 || !made(p, "two") || sum.Get("cost_usd").Num != 0.5 ||
			sum.Get("tokens_in").Int() < 1800 {
			t.Errorf("status %d, %s, %s", status, sum.Raw, errs)
		}
		out, errs, _ := p.run("ua", "journal", "index", "spend")
		if !strings.Contains(out, "a/judge,2,1800,200,0.5") {
			t.Errorf("%s%s", out, errs)
		}
	})
	for _, budget := range []string{"--budget-tokens=1500", "--budget-usd=0.4"} {
		t.Run(budget, func(t *testing.T) {
			p := judged(t, "allow")
			if _, errs, status := p.run("ua", budget, "--agent", "mine", "task"); status != 124 ||
				!strings.Contains(errs, "the budget of") || !made(p, "one") {
				t.Errorf("status %d, %s", status, errs)
			}
		})
	}
	const gate = `while IFS= read -r l; do printf '%s\n' "$l"; case $l in *'"type":"tool_call"'*)
		i=${l#*'"id":"'}; printf '{"type":"verdict","call_id":"%s","risk":"write",' "${i%%'"'*}"
		printf '"decision":"allow","profile":"workspace"}\n';; esac; done`
	for decision, want := range map[string]bool{"allow": true, "deny": false} {
		t.Run("a gate of the user's own, and "+decision, func(t *testing.T) {
			p := judged(t, decision)
			_, errs, status := p.run("ua", "--gate", gate, "--agent", "mine", "task")
			if made(p, "one") != want || (status == 0) != want ||
				!want && !strings.Contains(errs, "the judge: so I say") {
				t.Errorf("status %d, %s %s", status, errs, p.outputs())
			}
		})
	}
}
