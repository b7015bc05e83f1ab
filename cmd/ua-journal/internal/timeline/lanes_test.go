package timeline

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// lanes returns the lanes of a run with that journal, and of subagents with those.
func lanes(t testing.TB, journal string, below ...string) []*Lane {
	t.Helper()
	dir := t.TempDir()
	write := func(dir, text string) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, journal)
	for i, text := range below {
		write(filepath.Join(dir, "sub", string(rune('a'+i))), text)
	}
	list, err := Read(filepath.Join(dir, "journal.jsonl"), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const day = `{"type":"run","ts":"2026-01-02T03:04:00Z","id":"r","task":"t","agent":"a"}
{"type":"turn","ts":"2026-01-02T03:04:01Z"}
{"type":"tool_call","ts":"2026-01-02T03:04:02Z","id":"c1","input":{"command":"ls"}}
{"type":"verdict","ts":"2026-01-02T03:04:02Z","call_id":"c1","risk":"write","command":"ls -l"}
{"type":"response","ts":"2026-01-02T03:04:03Z","model":"p/m","usage":{"input":1,"cache_read":2,` +
	`"output":3,"cost_usd":0.5}}
{"type":"tool_result","ts":"2026-01-02T03:04:04Z","call_id":"c1","status":"run","exit_code":1,` +
	`"duration_ms":1500}
junk
{"type":"tool_call","id":"c2","input":{"command":"rm"}}
{"type":"verdict","call_id":"c2","risk":"denied","decision":"deny","reason":"no"}
{"type":"tool_result","ts":"2026-01-02T03:04:05Z","call_id":"c2","status":"denied"}
{"type":"response","ts":"2026-01-02T03:04:06Z","model":"p/m","stop_reason":"error",` +
	`"latency_ms":500}
{"type":"summary","ts":"2026-01-02T03:04:07Z","exit_code":2}
`

// A lane says what an agent did and what it took.
func TestLane(t *testing.T) {
	at := func(second float64) time.Time {
		return time.Date(2026, 1, 2, 3, 4, 0, int(second*1e9), time.UTC)
	}
	l := lanes(t, day)[0]
	if l.ID != "r" || l.Task != "t" || l.Agent != "a" || l.Model != "p/m" || l.Status != 2 ||
		l.TokensIn != 3 || l.TokensOut != 3 || l.CostUSD != 0.5 || !l.Start.Equal(at(0)) ||
		!l.End.Equal(at(7)) || len(l.Events) != 11 || len(l.Bars) != 4 {
		t.Fatalf("%+v", l)
	}
	for i, want := range []Bar{
		{Kind: "model", Start: at(1), End: at(3), Label: "p/m", Outcome: "done", Turn: 1,
			Note: "3 tokens in, 3 out"},
		{Kind: "command", Start: at(2.5), End: at(4), Label: "ls -l", Level: "write",
			Outcome: "failed", Turn: 1, Call: "c1", Note: "run exit 1"},
		{Kind: "command", Start: at(5), End: at(5), Label: "rm", Level: "denied", Outcome: "denied",
			Turn: 1, Call: "c2", Note: "no"},
		{Kind: "model", Start: at(5.5), End: at(6), Label: "p/m", Outcome: "failed", Turn: 1,
			Note: "0 tokens in, 0 out"},
	} {
		got := l.Bars[i]
		if got.Event = nil; !got.Start.Equal(want.Start) || !got.End.Equal(want.End) {
			t.Errorf("bar %d: %v to %v", i, got.Start, got.End)
		}
		if got.Start, got.End = want.Start, want.End; got.Kind != want.Kind || got.Label != want.Label ||
			got.Level != want.Level || got.Outcome != want.Outcome || got.Turn != want.Turn ||
			got.Call != want.Call || got.Note != want.Note {
			t.Errorf("bar %d: %+v, want %+v", i, got, want)
		}
	}
}

// Subagents have lanes behind that of the run; a journal that is none is told of.
func TestLanesBelow(t *testing.T) {
	list := lanes(t, day, `{"type":"run","id":"a"}`, `{"type":"run","id":"b"}`)
	if len(list) != 3 || list[1].Depth != 1 || list[1].Status != -1 {
		t.Errorf("%+v", list)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), func(error) {}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// The ids of spans are those of the run's trace where it names one, and stay the same.
func TestTrace(t *testing.T) {
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for trace, same := range map[string]bool{
		"00-" + id + "-" + span + "-01": true,
		"":                              false,
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": false,
		"00-" + id[:31] + "g-" + span + "-01":                false,
		"00-" + id + "-" + span[:15] + "-01":                 false,
		"x":                                                  false,
	} {
		o := newTrace(&Lane{ID: "r", Trace: trace})
		if (o.id == id && o.agent == span) != same || len(o.id) != 32 || len(o.agent) != 16 {
			t.Errorf("%s: %s %s", trace, o.id, o.agent)
		}
		if again := newTrace(&Lane{ID: "r", Trace: trace}); again.id != o.id || again.agent != o.agent {
			t.Errorf("%s: other ids", trace)
		}
	}
}

// A turn's span lies in its agent's, and holds those of its bars.
func TestOTLP(t *testing.T) {
	var out bytes.Buffer
	if err := OTLP(&out, lanes(t, day,
		`{"type":"run","ts":"2026-01-02T03:04:05Z","id":"b"}`)); err != nil {
		t.Fatal(err)
	}
	spans := gjson.GetBytes(out.Bytes(), "resourceSpans.0.scopeSpans.0.spans")
	agent := spans.Get("0.spanId").Str
	turn := spans.Get("1")
	if spans.Get("#").Int() != 7 || spans.Get("0.name").Str != "invoke_agent a" ||
		turn.Get("parentSpanId").Str != agent || turn.Get("name").Str != "turn 1" ||
		spans.Get("2.parentSpanId").Str != turn.Get("spanId").Str ||
		spans.Get("6.parentSpanId").Str != agent {
		t.Error(spans)
	}
	for _, s := range spans.Array()[2:6] {
		if s.Get("startTimeUnixNano").Int() < turn.Get("startTimeUnixNano").Int() ||
			s.Get("endTimeUnixNano").Int() > turn.Get("endTimeUnixNano").Int() {
			t.Errorf("%s is not in its turn", s)
		}
	}
	if spans.Get("0.status.code").Int() != statusError {
		t.Error("the run has failed")
	}
}

// A step of the axis is round, and an axis of any length has few of them.
func TestTickStep(t *testing.T) {
	for total, want := range map[time.Duration]time.Duration{
		time.Millisecond: time.Millisecond, 10 * time.Millisecond: time.Millisecond,
		11 * time.Millisecond: 2 * time.Millisecond, time.Second: 100 * time.Millisecond,
		time.Minute: 10 * time.Second, 1<<63 - 1: 1e18,
	} {
		if got := tickStep(total); got != want {
			t.Errorf("%v: %v, want %v", total, got, want)
		}
	}
}

// checks holds that lanes can be drawn, listed and exported: as XML, as a page and as JSON.
func checks(t *testing.T, list []*Lane) {
	t.Helper()
	var svg, page, otlp bytes.Buffer
	if err := errors.Join(SVG(&svg, list), HTML(&page, list), OTLP(&otlp, list)); err != nil {
		t.Fatal(err)
	}
	if n := len(draw(list).Ticks); n < 1 || n > 12 {
		t.Errorf("%d ticks", n)
	}
	for d := xml.NewDecoder(&svg); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
	if !json.Valid(otlp.Bytes()) {
		t.Errorf("%s", otlp.Bytes())
	}
	if bytes.Contains(page.Bytes(), []byte("<script>alert")) {
		t.Errorf("%s", page.Bytes())
	}
}

// Times that are far apart, as a command may write them, have an axis too.
func TestFarApart(t *testing.T) {
	checks(t, lanes(t, `{"type":"run","ts":"0001-01-02T00:00:00Z"}`+"\n"+
		`{"type":"turn","ts":"9999-12-31T00:00:00Z"}`+"\n"+
		`{"type":"tool_result","ts":"0001-01-02T00:00:00Z","duration_ms":9223372036854775807}`+"\n"))
	checks(t, nil)
}

// FuzzRead: whatever a command has left as a journal, it can be drawn, listed and exported.
func FuzzRead(f *testing.F) {
	f.Add(day)
	f.Add(`{"type":"run","id":"<script>alert(1)</script>","task":"\u0000]]>",` +
		`"ts":"2026-01-02T03:04:00Z"}`)
	f.Add(`{"type":"response","ts":"2026-01-02T03:04:00Z","usage":{"cost_usd":1e999,"input":-1},` +
		`"model":"\u0007"}`)
	f.Add(`{"type":"tool_result","duration_ms":1e300,"exit_code":"x","ts":"9999-01-01T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, text string) { checks(t, lanes(t, text)) })
}
