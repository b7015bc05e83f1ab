package eventgateway

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

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
