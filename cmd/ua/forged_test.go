package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// forgery writes a file in the folder of subagents, by a command of the run.
func forgery(id, lines string) string {
	return fmt.Sprintf(`d="${UA_JOURNAL%%/*}/sub/%s"; mkdir -p "$d"; printf '%%s\012' %s > `+
		`"$d/journal.jsonl"`,
		id, lines)
}

// TestForgedCounts has a command make up subagents and rewrite the journal of a real one.
// Nothing that they say is counted, and what is shown of it is marked.
func TestForgedCounts(t *testing.T) {
	const began = `'{"type":"run","id":"x","depth":1,"task":"made ` +
		`up","ts":"2026-01-01T00:00:00.000Z"}' '{"type":"turn","n":1}' `
	const asked = `'{"type":"response","content":[],"usage":{"input":9e18,"output":-5,` +
		`"cost_usd":1e999}}' '{"type":"response","content":[],"usage":{"input":9223372036854775807,` +
		`"output":"NaN","cost_usd":"Inf"}}' `
	const ended = `'{"type":"summary","exit_code":0,"ts":"9999-01-01T00:00:00.000Z"}'`
	const far = `'{"type":"summary","exit_code":0,"ts":"1000-01-01T00:00:00.000Z"}'`
	for _, uid := range users() {
		p := newPlace(t, uid)
		id := func(n int) string { return fmt.Sprintf("20260101-000000-00000%d", n) }
		sub := `s="${UA_JOURNAL%/*}/sub"; `
		commands := []string{
			"ua --model anthropic/leaf 'a part'",
			forgery(id(1), began+asked+ended), // a cost without end
			forgery(id(2), began+far),         // it never ran, and ended before it began
			forgery(id(3), `'junk' '{"type":"run"' '[]' ''`),
			sub + `mkdir "$s/` + id(4) + `" && mkfifo "$s/` + id(4) + `/journal.jsonl"`,
			sub + `mkdir "$s/` + id(5) + `" && ln -s /dev/zero "$s/` + id(5) + `/journal.jsonl"`,
			// The real one's: dearer, and once more below another.
			sub + `r=$(ls "$s" | grep -v 20260101); printf '%s\012' ` + asked + ended +
				` >> "$s/$r/journal.jsonl"; mkdir -p "$s/` + id(1) + `/sub"; cp -r "$s/$r" "$s/` +
				id(1) + `/sub/"`,
		}
		p.allowLeaf()
		m := p.model("call: " + strings.Join(commands, "\ncall: ") + "\n---\ntext: done")
		os.WriteFile(filepath.Join(m.Dir, "model.leaf"),
			[]byte("call: echo mine\n---\ntext: part done\n"),
			0o644)
		out, errs, status := p.run("ua", "--budget-tokens", "100000", "task")
		if status != 0 || out != "done\n" {
			t.Fatalf("uid %d: status %d, %q, %s", uid, status, out, errs)
		}
		// Two answers of 135 tokens, and one call in them.
		if !strings.Contains(errs, "── 6 agents (5 unseen) 1 deep 270 tok 1 cmd ") {
			t.Errorf("uid %d: total: %s", uid, errs)
		}
		p.checkForged(errs)
	}
}

// checkForged holds what the verbs, the events and the lines of the display say.
func (p *place) checkForged(shown string) {
	t := p.t
	t.Helper()
	requests := 0
	for _, e := range p.events("subagent") {
		if e.Get("state").Str != "end" {
			continue
		}
		n := e.Get("requests").Int()
		requests += int(n)
		if e.Get("claimed").Bool() != (n == 0) || n > 0 && (e.Get("tokens_in").Int() != 240 ||
			e.Get("tokens_out").Int() != 30 || e.Get("cost_usd").Float() > 1) {
			t.Errorf("uid %d: %s", p.uid, e)
		}
	}
	if requests != 2 {
		t.Errorf("uid %d: %d requests in the events", p.uid, requests)
	}
	if summary := p.events("summary"); summary[0].Get("tokens_in").Int() != 480 {
		t.Errorf("uid %d: %s", p.uid, summary)
	}
	list, errs, status := p.run("ua", "ps", "--all", "--json")
	if status != 0 || strings.Count(list, "\n") != 8 {
		t.Fatalf("uid %d: status %d, %s%s", p.uid, status, list, errs)
	}
	for line := range strings.Lines(list) {
		r := gjson.Parse(line)
		all := r.Get("tokens_in").Int() + r.Get("tokens_out").Int()
		switch {
		case !json.Valid([]byte(line)) || r.Get("duration_ms").Int() < 0 || all < 0:
			t.Errorf("uid %d: %s", p.uid, line)
		case r.Get("depth").Int() == 0 && !r.Get("parent").Exists() && r.Get("task").Str == "task":
			below := r.Get("subagents")
			if below.Get("requests").Int() != 2 || below.Get("tokens_in").Int() != 240 ||
				below.Get("calls").Int() != 1 {
				t.Errorf("uid %d: %s", p.uid, line)
			}
		case !r.Get("claimed").Bool() && all != 270:
			t.Errorf("uid %d: %s", p.uid, line)
		}
	}
	if n := strings.Count(list, `"claimed":true`); n != 6 {
		t.Errorf("uid %d: %d claimed: %s", p.uid, n, list)
	}
	rows, _, _ := p.run("ua", "tree")
	if strings.Count(rows, "? ") < 6 || !strings.Contains(rows, " 270 ") {
		t.Errorf("uid %d: %s", p.uid, rows)
	}
	if info, _, _ := p.run("ua", "info"); !strings.Contains(info,
		"subagents  7, 0 running, 2 answers, 270 tok") {
		t.Errorf("uid %d: %s", p.uid, info)
	}
	if strings.Count(shown, "? tok") < 5 {
		t.Errorf("uid %d: %s", p.uid, shown)
	}
}

// TestResumeApart has a command make up a subagent that a person then goes on with: not
// while the run above it drives commands, which can write its folder, and the run above
// does not go on while it does.
func TestResumeApart(t *testing.T) {
	const id = "20260101-000000-dddddd"
	for _, uid := range users() {
		p := newPlace(t, uid)
		hold := "touch ready; while [ ! -e go ]; do sleep 0.02; done"
		p.recording("main.jsonl", "done", forgery(id,
			`'{"type":"run","id":"`+id+`","depth":1,"task":"x"}' `+
				`'{"type":"instruction","text":"x"}'`), hold)
		out, errs, status := p.run("ua", "--bg", "task")
		if status != 0 {
			t.Fatalf("uid %d: %s", uid, errs)
		}
		top, ready := strings.TrimSpace(out), filepath.Join(p.cwd, "ready")
		exists := func() bool { _, err := os.Stat(ready); return err == nil }
		scripttest.Await(t, "the command", exists)
		for _, way := range [][]string{{"ua", "resume", id, "more"},
			{"ua", "resume", "--bg", id, "more"}} {
			if _, errs, status := p.run(way...); status != 75 || !strings.Contains(errs,
				id+": the run above it, "+top+", is still running\nua: hint: ua wait "+top) {
				t.Errorf("uid %d, %s: status %d, %s", uid, way, status, errs)
			}
		}
		p.write("go", "")
		p.run("ua", "wait", top)
		os.Remove(ready)
		os.Remove(filepath.Join(p.cwd, "go"))
		p.recording("main.jsonl", "went on", "true", hold)
		if _, errs, status := p.run("ua", "resume", "--bg", id, "more"); status != 0 {
			t.Fatalf("uid %d: %s", uid, errs)
		}
		scripttest.Await(t, "the command of the lower one", exists)
		if _, errs, status := p.run("ua", "resume", top, "more"); status != 75 ||
			!strings.Contains(errs, top+": its subagent "+id+" is still running") {
			t.Errorf("uid %d: status %d, %s", uid, status, errs)
		}
		p.write("go", "")
		p.run("ua", "wait", id)
		p.recording("main.jsonl", "all done", "true", "true", "true")
		if out, errs, status := p.run("ua", "resume", top, "more"); status != 0 || out != "all done\n" ||
			strings.Contains(errs, "[dddddd]") { // which ended before
			t.Errorf("uid %d: status %d, %q, %s", uid, status, out, errs)
		}
	}
}
