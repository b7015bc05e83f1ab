package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A said is a call of a random stream, and what the lines of the stream say of it.
type said struct {
	id       string // as JSON
	number   int
	refused  bool     // a verdict of its answer stood elsewhere, before it was settled
	answered bool     // by another stage
	verdicts []string // behind it
}

// A randomStream is lines that stages may write, in an order that they may come in.
type randomStream struct {
	*rand.Rand
	text    strings.Builder
	calls   []*said
	pending *said // the call that the next line may be about
	stray   bool  // a verdict of this answer stood elsewhere
}

// settle says that no further line is about the pending call.
func (r *randomStream) settle() {
	if r.pending != nil {
		r.pending.refused = r.stray
	}
	r.pending = nil
}

// says writes a line about the call.
func (r *randomStream) says(c *said) {
	kind := []string{"allow", "allow", "allow", "narrow", "deny", "ask", "junk", "other", "result",
		"error"}[r.IntN(10)]
	const form = `{"type":"verdict","call_id":%s,"risk":"write","decision":%q,"profile":%q}` + "\n"
	// Readers of JSON take an escaped ID for the same.
	id := c.id
	if r.IntN(3) == 0 {
		id = strings.Replace(id, "c", `\u0063`, 1)
	}
	switch kind {
	case "narrow":
		fmt.Fprintf(&r.text, form, id, "allow", "read-only")
	case "junk":
		fmt.Fprintf(&r.text, form, `"`+fmt.Sprint(c.number)+`"`, "deny", "workspace")
		r.text.WriteString([]string{"\x00\xff\n", "\r\n", `{"type":"ask"}` + "\r\n", "[]\n",
			`{"type":"answer","call_id":` + id + "}\n"}[r.IntN(5)])
	case "other":
		fmt.Fprintf(&r.text, strings.Replace(form, "}", `,"command":"echo >>other"}`, 1), id, "allow",
			"workspace")
	case "result", "error":
		typ := map[string]string{"result": "tool_result", "error": "error"}[kind]
		fmt.Fprintf(&r.text, `{"type":%q,"call_id":%s,"stage":"mine"}`+"\n", typ, id)
	default:
		fmt.Fprintf(&r.text, form, id, kind, "workspace")
	}
	answers := kind == "result" || kind == "error"
	switch {
	case kind == "junk" || c != r.pending && !answers:
		r.stray = true
		r.settle()
	case c != r.pending:
		r.settle()
	case answers:
		c.answered, r.pending = true, nil
	default:
		c.verdicts = append(c.verdicts, kind)
	}
}

// answer writes the calls of one answer, with what is said of them before, behind and late.
func (r *randomStream) answer() {
	first := len(r.calls)
	for range 1 + r.IntN(4) {
		n := len(r.calls)
		c := &said{number: n, id: fmt.Sprintf([]string{`"c%d"`, `"C%d"`, `"c%d\n"`, `"c\u0000%d"`,
			`" c%d"`, `"c%d\ud800"`, `"cé%d"`}[r.IntN(7)], n)}
		for range r.IntN(3) * r.IntN(2) {
			r.says(c)
		}
		fmt.Fprintf(&r.text, `{"type":"tool_call","id":%s,"name":"shell","input":{"command":`+
			`"echo >>r%d"}}`+"\n", c.id, n)
		r.settle()
		r.pending = c
		for range r.IntN(4) {
			r.says(c)
		}
		r.calls = append(r.calls, c)
		if earlier := r.calls[first+r.IntN(len(r.calls)-first)]; r.IntN(3) == 0 {
			r.says(earlier)
		}
	}
	r.text.WriteString(`{"type":"response"}` + "\n")
	r.settle()
	r.stray = false
}

// TestRandomStreams compares what becomes of the calls of random streams with the rules, of
// which this is a second, simpler reading: what has one verdict that allows it runs once, nothing
// else runs, each call has one result, and no other line is lost.
func TestRandomStreams(t *testing.T) {
	for seed := range uint64(20) {
		r := &randomStream{Rand: rand.New(rand.NewPCG(seed, 1))}
		for range 3 {
			r.answer()
		}
		cmd := uaExec(t, "--unconfined")
		cmd.Stdin = strings.NewReader(r.text.String())
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		results := map[string][]string{}
		var passed, sent []string
		for line := range bytes.Lines(out) {
			switch e := gjson.ParseBytes(line); {
			case e.Get("type").Str == "tool_result" && e.Get("stage").Str != "mine":
				id := e.Get("call_id").Str
				results[id] = append(results[id], e.Get("status").Str)
			case e.Get("type").Str == "error" && e.Get("stage").Str == "ua-exec":
			default:
				passed = append(passed, string(line))
			}
		}
		for line := range strings.Lines(r.text.String()) {
			if event.Valid([]byte(line)) {
				sent = append(sent, line)
			}
		}
		if strings.Join(passed, "") != strings.Join(sent, "") {
			t.Errorf("seed %d: lines are lost or changed", seed)
		}
		for _, c := range r.calls {
			ran, _ := os.ReadFile(filepath.Join(cmd.Dir, fmt.Sprintf("r%d", c.number)))
			got := fmt.Sprint(len(ran), results[gjson.Parse(c.id).Str])
			denied := len(c.verdicts) > 1
			for _, v := range c.verdicts {
				denied = denied || v == "deny" || v == "ask"
			}
			want := "1 [run]"
			switch {
			case c.answered:
				want = "0 []"
			case c.refused || len(c.verdicts) == 0:
				want = "0 [refused]"
			case denied:
				want = "0 [denied]"
			case c.verdicts[0] == "other":
				want = "0 [run]"
			}
			if got != want {
				t.Errorf("seed %d: call %s: runs and results %s, want %s; %+v\n%s", seed, c.id, got, want, c,
					r.text.String())
			}
		}
	}
}
