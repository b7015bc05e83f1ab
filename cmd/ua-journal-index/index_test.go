package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/run"
)

// place is a folder of runs and a database.
type place struct {
	testing.TB
	root string
	*index
}

func newPlace(t testing.TB) *place {
	t.Helper()
	x, err := open(filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.db.Close() })
	return &place{t, t.TempDir(), x}
}

// journal puts a journal into the folder of a run, given by its path below the root.
func (p *place) journal(run, text string) {
	p.Helper()
	dir := filepath.Join(p.root, run)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// ask brings the database up to date and returns the rows of a query, as JSON.
func (p *place) ask(query string) string {
	p.Helper()
	var out bytes.Buffer
	list, err := run.List(p.root)
	if err == nil {
		err = p.update(list)
	}
	if err != nil {
		p.Fatal(err)
	}
	if err := p.answer(&out, query, true); err != nil {
		p.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// Each event fills its columns, and what it does not have is null.
func TestEvents(t *testing.T) {
	const call = `{"type":"tool_call","ts":"T1","id":"c","name":"shell","input":{"command":"ls"}}`
	for _, c := range []struct{ name, journal, query, want string }{
		{"a run", `{"type":"run","ts":"T1","task":"t","agent":"a","model":"m","cwd":"/w","mode":"x",` +
			`"isolation":"worktree","tools":"shell","not_tools":"","limits":{"max_turns":3}}`,
			"SELECT ts, created, task, agent, model, cwd, mode, isolation, tools, not_tools, limits, " +
				"status FROM runs",
			`{"ts":"T1","created":"T1","task":"t","agent":"a","model":"m","cwd":"/w","mode":"x",` +
				`"isolation":"worktree","tools":"shell","not_tools":"","limits":"{\"max_turns\":3}",` +
				`"status":"accepted"}`},
		{"two turns", `{"type":"turn","ts":"T1"}` + "\n" + `{"type":"turn","ts":"T2"}`,
			"SELECT started, status FROM runs", `{"started":"T1","status":"running"}`},
		{"an end", `{"type":"summary","ts":"T9","exit_code":2,"duration_ms":7,"message":"why"}`,
			"SELECT completed, exit_code, duration_ms, message, status FROM runs",
			`{"completed":"T9","exit_code":2,"duration_ms":7,"message":"why","status":"failed"}`},
		{"a response", `{"type":"response","ts":"T1","model":"p/m","stop_reason":"end_turn",` +
			`"latency_ms":5,"usage":{"input":1,"cache_read":2,"cache_write":3,"output":4,` +
			`"reasoning":5,"cost_usd":0.5}}`,
			"SELECT n, ts, model, stop_reason, input, cache_read, cache_write, output, reasoning, " +
				"cost_usd, latency_ms, replay FROM responses",
			`{"n":1,"ts":"T1","model":"p/m","stop_reason":"end_turn","input":1,"cache_read":2,` +
				`"cache_write":3,"output":4,"reasoning":5,"cost_usd":0.5,"latency_ms":5,"replay":null}`},
		{"the provider of a response", `{"type":"response","model":"p/m/x"}`,
			"SELECT provider, model FROM runs", `{"provider":"p","model":"p/m/x"}`},
		{"a run keeps the model that it was asked for",
			`{"type":"run","model":"cheap"}` + "\n" + `{"type":"response","model":"p/m"}`,
			"SELECT provider, model FROM runs", `{"provider":"p","model":"cheap"}`},
		{"a judge", `{"type":"judge","ts":"T1","model":"p/m","usage":{"input":1,"output":2}}`,
			"SELECT model, stop_reason, input, output FROM responses",
			`{"model":"p/m","stop_reason":"judge","input":1,"output":2}`},
		{"a call", call, "SELECT n, ts, call_id, tool, command, risk, status FROM calls",
			`{"n":1,"ts":"T1","call_id":"c","tool":"shell","command":"ls","risk":null,"status":null}`},
		{"a verdict", call + "\n" + `{"type":"verdict","call_id":"c","risk":"write",` +
			`"decision":"allow","by":"rule","rule":"r","profile":"workspace"}`,
			"SELECT risk, decision, by, rule, profile, command FROM calls",
			`{"risk":"write","decision":"allow","by":"rule","rule":"r","profile":"workspace",` +
				`"command":"ls"}`},
		{"a verdict that changes the command", call + "\n" +
			`{"type":"verdict","call_id":"c","command":"ls -l"}`,
			"SELECT command FROM calls", `{"command":"ls -l"}`},
		{"a result", call + "\n" + `{"type":"tool_result","call_id":"c","status":"run",` +
			`"exit_code":1,"duration_ms":9,"output":"12é"}`,
			"SELECT status, exit_code, duration_ms, output_bytes FROM calls",
			`{"status":"run","exit_code":1,"duration_ms":9,"output_bytes":4}`},
		{"a result of another call", call + "\n" + `{"type":"tool_result","call_id":"d"}`,
			"SELECT status FROM calls", `{"status":null}`},
		{"types that are none of ours", `{"type":"delta","text":"x"}` + "\n" + `{"type":7}` + "\n{}",
			"SELECT status FROM runs", `{"status":null}`},
		{"members of other types", `{"type":"run","task":["a"],"cwd":true,"model":1.5,"agent":null}`,
			"SELECT task, cwd, model, agent FROM runs",
			`{"task":"[\"a\"]","cwd":"1","model":"1.5","agent":null}`},
	} {
		p := newPlace(t)
		p.journal("r", c.journal+"\n")
		if got := p.ask(c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

func TestValue(t *testing.T) {
	for raw, want := range map[string]any{`"a"`: "a", `1`: int64(1), `-1.5`: -1.5, `true`: true,
		`false`: false, `null`: nil, `[1]`: "[1]", `{"a":1}`: `{"a":1}`, ``: nil,
		`9007199254740993`: int64(9007199254740993)} {
		if got := value(gjson.Parse(raw)); got != want {
			t.Errorf("%s: %v (%T), want %v", raw, got, got, want)
		}
	}
}

// Only a name alone is a question; all else is SQL and stays as it is.
func TestQuestion(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"spend", "denied", "slow"} {
		if query := question(name); query == name {
			t.Errorf("%s is no question", name)
		} else if got := p.ask(query); got != "" {
			t.Errorf("%s of nothing: %s", name, got)
		}
	}
	for _, text := range []string{"", "SELECT 1", "spend today", "SPEND"} {
		if got := question(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Rows are objects with their members in the query's order, or CSV below a line of names.
func TestAnswer(t *testing.T) {
	p := newPlace(t)
	const query = `SELECT 2 AS b, 'x"y' AS a, NULL AS "n", 1.5 AS "f g"`
	if got := p.ask(query); got != `{"b":2,"a":"x\"y","n":null,"f g":1.5}` {
		t.Error(got)
	}
	var out bytes.Buffer
	if err := p.answer(&out, query+" UNION ALL SELECT 3, 'a,b'||char(10)||'c', '', 0",
		false); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	want := [][]string{{"b", "a", "n", "f g"}, {"2", `x"y`, "", "1.5"}, {"3", "a,b\nc", "", "0"}}
	if err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("%q, %v", rows, err)
	}
	err = p.answer(&out, "SELEC 1", true)
	if err == nil || !strings.Contains(err.Error(), "syntax") {
		t.Errorf("%v", err)
	}
}

// A journal that has changed is read anew, one that is gone is dropped with all its rows.
func TestUpdate(t *testing.T) {
	p := newPlace(t)
	const call = `{"type":"tool_call","id":"c"}` + "\n"
	p.journal("a", call)
	p.journal("a/sub/b", call+call)
	p.journal("a/sub/b/sub/c", call)
	const count = "SELECT run, count(*) AS n FROM calls GROUP BY run ORDER BY run"
	if got := p.ask(count); got != `{"run":"a","n":1}`+"\n"+`{"run":"b","n":2}`+"\n"+
		`{"run":"c","n":1}` {
		t.Error(got)
	}
	if got := p.ask("SELECT id, parent FROM runs ORDER BY id"); got != `{"id":"a","parent":""}`+"\n"+
		`{"id":"b","parent":"a"}`+"\n"+`{"id":"c","parent":"b"}` {
		t.Error(got)
	}
	p.journal("a", call+call+call)
	os.RemoveAll(filepath.Join(p.root, "a/sub/b/sub"))
	if got := p.ask(count); got != `{"run":"a","n":3}`+"\n"+`{"run":"b","n":2}` {
		t.Error(got)
	}
	os.RemoveAll(filepath.Join(p.root, "a"))
	if got := p.ask("SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM calls) AS n"); got !=
		`{"n":0}` {
		t.Error(got)
	}
}

// FuzzJournal: whatever a command has left as a journal, it is taken up without an error, a
// second look changes nothing, and the rows of another run stay.
func FuzzJournal(f *testing.F) {
	f.Add(`{"type":"run","id":"x","task":"t"}`)
	f.Add(`{"type":"tool_call","id":"c","input":{"command":1}}` + "\n" +
		`{"type":"verdict","call_id":"c"}`)
	f.Add(`{"type":"response","usage":{"input":1e999,"output":"x","cost_usd":-1}}`)
	f.Add("not json\n{\"type\":\"summary\",\"exit_code\":{}}\n{\"type\":\"su")
	f.Add("{\"type\":\"run\",\"task\":\"\\u0000'; DROP TABLE runs; --\"}\n\x00\xff")
	p := newPlace(f)
	p.journal("other", `{"type":"run","task":"kept"}`+"\n")
	f.Fuzz(func(t *testing.T, text string) {
		p.TB = t
		p.journal("one", text)
		const all = "SELECT * FROM runs LEFT JOIN responses ON responses.run=id " +
			"LEFT JOIN calls ON calls.run=id WHERE id='one'"
		first := p.ask(all)
		if again := p.ask(all); again != first {
			t.Errorf("%q\nbecame %q", first, again)
		}
		for line := range strings.Lines(first) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q is no JSON", line)
			}
		}
		if got := p.ask("SELECT task FROM runs WHERE id='other'"); got != `{"task":"kept"}` {
			t.Errorf("another run: %s", got)
		}
	})
}

// TestShipped: a thousand runs of a hundred hosts, many with the same ID, are rows of one table.
func TestShipped(t *testing.T) {
	p := newPlace(t)
	for i := range 1000 {
		id := fmt.Sprintf("h%d/20260101-0000%02d-aaaaaa", i%100, i/100)
		p.journal(id, fmt.Sprintf(`{"type":"run","task":"t%d"}`, i%4)+"\n"+
			`{"type":"response","model":"p/m","usage":{"input":1,"output":1,"cost_usd":0.5}}`+"\n"+
			`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}`+"\n"+
			`{"type":"verdict","call_id":"c","decision":"deny"}`+"\n")
		if i < 10 {
			p.journal(id+"/sub/20260101-000100-bbbbbb", `{"type":"run","task":"below"}`)
		}
	}
	list, err := run.Shipped(p.root)
	if err != nil || len(list) != 1000 {
		t.Fatal(len(list), err)
	}
	for range 2 { // the second time nothing is read again
		if err := p.update(list); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"SELECT count(*) AS n, count(DISTINCT host) AS h FROM runs":       `{"n":1010,"h":100}`,
			"SELECT sum(cost_usd) AS usd FROM runs WHERE task='t1'":           `{"usd":125}`,
			"SELECT count(*) AS n FROM calls WHERE decision='deny'":           `{"n":1000}`,
			"SELECT count(DISTINCT parent) AS n FROM runs WHERE task='below'": `{"n":10}`,
		} {
			var out bytes.Buffer
			if err := p.answer(&out, query, true); err != nil || strings.TrimSpace(out.String()) != want {
				t.Errorf("%s: %v %s", query, err, out.String())
			}
		}
	}
}
