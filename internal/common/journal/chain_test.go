package journal

import (
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
