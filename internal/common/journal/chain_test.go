package journal

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// seal returns what a Sealer makes of one line.
func seal(dst, line []byte, prev Hash) ([]byte, Hash) {
	var s Sealer
	s.Begin(line)
	return s.End(dst, prev)
}

func TestSeal(t *testing.T) {
	var prev Hash
	copy(prev[:], First)
	for in, want := range map[string]string{
		`{"type":"a"}`:          `{"type":"a","prev":"` + First + `"}`,
		`{"type":"a" }`:         `{"type":"a" ,"prev":"` + First + `"}`,
		"{\"type\":\"a\"} \t\r": `{"type":"a","prev":"` + First + `"}`,
		`{"type":"a","prev":"` + strings.Repeat("ab", 16) + `"}`: `{"type":"a","prev":"` + First + `"}`,
		`{"type":"a","prev":"short"}`: `{"type":"a","prev":"short","prev":"` +
			First + `"}`,
	} {
		got, hash := seal([]byte("x"), []byte(in), prev)
		if string(got) != "x"+want || hash != Sum(got[1:]) || hash == prev {
			t.Errorf("%s: %s", in, got)
		}
		if p, ok := Prev(got[1:]); !ok || p != prev {
			t.Errorf("%s: prev %s", in, p)
		}
	}
}

func TestRedacted(t *testing.T) {
	var prev Hash
	copy(prev[:], First)
	line, was := seal(nil, []byte(`{"type":"a","text":"secret"}`), prev)
	stub, hash := seal(nil, []byte(`{"type":"a","redacted":"`+string(was[:])+`"}`), prev)
	if got, ok := Redacted(stub); !ok || got != was || hash != was || Sum(stub) != Sum(line) {
		t.Errorf("%s: %s, want %s", stub, got, was)
	}
	if _, ok := Redacted(line); ok {
		t.Error("a whole line counts as redacted")
	}
}

// TestTrail follows a journal with a torn line and a stub, from its beginning and from the
// middle, and notices a line that is changed, gone, doubled or added.
func TestTrail(t *testing.T) {
	var prev Hash
	copy(prev[:], First)
	var kept [][]byte
	for _, line := range []string{`{"type":"a"}`, `{"type":"b","x":1}`, `torn`, `{"type":"c"}`,
		`{"type":"secret"}`, `{"type":"d"}`, `{"type":"e"}`} {
		stored, before := []byte(line), prev
		if line == "torn" {
			prev = Sum(stored)
		} else {
			stored, prev = seal(nil, stored, prev)
		}
		if line == `{"type":"secret"}` {
			stored = Stub([]byte(`{"type":"gone"}`), prev, before)
		}
		kept = append(kept, stored)
	}
	for name, c := range map[string]struct {
		lines [][]byte
		holds bool
	}{
		"whole":           {kept, true},
		"its end is gone": {kept[:4], true}, // nobody can see that
		"changed": {slices.Concat(kept[:5], [][]byte{bytes.Replace(kept[5], []byte(`"d"`),
			[]byte(`"D"`), 1)}, kept[6:]), false},
		"gone":                {slices.Concat(kept[:3], kept[4:]), false},
		"doubled":             {slices.Concat(kept[:4], kept[3:]), false},
		"added without chain": {slices.Concat(kept, [][]byte{[]byte(`{"type":"x"}`)}), false},
		"one is not read":     {slices.Concat(kept[:3], [][]byte{nil}, kept[4:]), true},
	} {
		for from, trail := range []Trail{Beginning(), {}} {
			holds := true
			for _, line := range c.lines[from:] {
				holds = trail.Holds(line, string(line) == "torn") && holds
			}
			if holds != c.holds {
				t.Errorf("%s, from line %d: %v", name, from+1, holds)
			}
		}
	}
	if trail := Beginning(); trail.Holds(kept[1], false) {
		t.Error("a journal without its first line holds")
	}
}

func FuzzSeal(f *testing.F) {
	f.Add(`{"type":"a","redacted":"00000000000000000000000000000000",` +
		`"prev":"00000000000000000000000000000000"}`)
	f.Fuzz(func(t *testing.T, in string) {
		var prev Hash
		copy(prev[:], First)
		if in = strings.TrimSpace(in); len(in) < 3 || !strings.HasPrefix(in, "{") ||
			!strings.HasSuffix(in, "}") {
			return
		}
		line, hash := seal(nil, []byte(in), prev)
		bare := string(Bare([]byte(in)))
		if got := string(Bare(line)); got != bare || hash != Sum(line) {
			t.Errorf("%q: %q comes back as %q", in, line, got)
		}
	})
}
