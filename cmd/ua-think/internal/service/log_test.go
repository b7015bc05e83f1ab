package service

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
)

// TestLinesAreShort: each line of the log is below 4,000 bytes, whatever clients and models
// wrote: so it reaches a pipe in one piece (pipe(7), PIPE_BUF).
func TestLinesAreShort(t *testing.T) {
	quotes, wide := strings.Repeat(`"`, 400), strings.Repeat("\U0001f600", 400)
	for _, text := range []string{
		quotes, strings.Repeat(`\`, 400), wide, strings.Repeat("\u2028", 400), "\x00\x1b\n",
	} {
		for _, input := range []string{
			`{}`,
			`{"a":"` + strings.Repeat(`\"`, 740) + `"}`,
			`{"a":"` + strings.Repeat(`\\`, 740) + `"}`,
			`{"a":"` + strings.Repeat("\u2028", 2000) + `"}`,
			`{"a":"` + strings.Repeat("\xff", 2000) + `"}`,
			`{"a":"` + strings.Repeat(`\u0000`, 2000) + `"}`,
			`{"a":"` + wide + `"}`,
			"{" + strings.Repeat("\t", 2000) + "}",
			`{"a":"` + strings.Repeat("\x7f", 2000) + `"}`,
		} {
			var out bytes.Buffer
			l := NewLog(&out)
			e := &Record{Start: time.Now(), Method: text, Path: text, Agent: Word(text), Model: text,
				PID: 1 << 30, Depth: 1000, SHA256: strings.Repeat("a", 64), Status: 200}
			most := usage.Usage{Input: math.MaxInt64, CacheRead: math.MaxInt64,
				CacheWrite: math.MaxInt64, Output: math.MaxInt64, Reasoning: math.MaxInt64}
			e.Usage, e.Stop = most, "tool_use"
			e.Usage.Priced = true
			e.Propose(text, text, []byte(input))
			l.Write(e)
			lines := strings.SplitAfter(out.String(), "\n")
			if len(lines) != 3 || lines[2] != "" {
				t.Fatalf("%d lines: %q", len(lines), out.String())
			}
			for _, line := range lines[:2] {
				if len(line) > 4000 || !event.Valid([]byte(strings.TrimSuffix(line, "\n"))) {
					t.Errorf("%d bytes of %.10q and %.20q: %.200s", len(line), text, input, line)
				}
			}
			shown := gjson.Get(lines[1], "input").Str
			if shown == "" || len(input) < 100 && shown != input ||
				gjson.Get(lines[1], "bytes").Int() < 2 || gjson.Get(lines[1], "n").Int() != 1 {
				t.Errorf("%.20q is shown as %.100q", input, lines[1])
			}
		}
	}
}

// TestRefusalsShareLines: a client that is refused without end does not fill the disk, and the
// next line counts those that have none. Requests that were passed on have a line each.
func TestRefusalsShareLines(t *testing.T) {
	var out bytes.Buffer
	l := NewLog(&out)
	for range 1000 {
		l.Write(&Record{Start: time.Now(), Method: "POST", Decision: "refused", Reason: "token"})
	}
	for range 3 {
		l.Write(&Record{Start: time.Now(), Method: "POST", Status: 200})
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	refused, passed := 0, 0
	for i, line := range lines {
		if gjson.Get(line, "n").Int() != int64(i+1) {
			t.Errorf("line %d: %s", i+1, line)
		}
		refused += int(gjson.Get(line, "refused_before").Int())
		if gjson.Get(line, "decision").Str == "refused" {
			refused++
		} else {
			passed++
		}
	}
	if refused != 1000 || passed != 3 || len(lines) > 500 {
		t.Errorf("%d refused and %d passed in %d lines", refused, passed, len(lines))
	}
}

// fails is a writer on a full disk.
type fails struct{ after int }

func (f *fails) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// TestBroken: a gateway that can't write what it does says so from then on.
func TestBroken(t *testing.T) {
	l := NewLog(&fails{1})
	l.Write(&Record{})
	if l.Broken() {
		t.Error("broken while it can be written")
	}
	l.Write(&Record{})
	if !l.Broken() {
		t.Error("not broken")
	}
}

// TestWord: what a client wrote comes into a log short, and drives no terminal.
func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "m/n": "m/n", "a\nb\x1b[2J\u202e\u0085": "ab[2J", "\xff\xfe": "", "ü": "ü",
		strings.Repeat("x", 300):       strings.Repeat("x", 200),
		strings.Repeat("x", 199) + "ü": strings.Repeat("x", 199),
	} {
		if got := Word(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
