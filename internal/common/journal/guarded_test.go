package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestGuarded(t *testing.T) {
	const left = "left, as it could not be moved aside or put back"
	for line, want := range map[string]string{
		`{"path":"a","state":"set_aside"}`:             `"a": moved aside as *.refused`,
		`{"path":"a","state":"put_back","reason":"r"}`: `"a": put back as it was: r`,
		`{"path":"a","state":"set_aside","reason":"r","option":"--hooks"}`: `"a": moved aside as ` +
			`*.refused: r (--hooks lets it)`,
		`{"path":"a","state":"left"}`:                  `"a": ` + left,
		`{"path":"a\u001b[2J\n\"","state":"put_back"}`: `"a\x1b[2J\n\"": put back as it was`,
		`{}`: `"": ` + left,
	} {
		if got := Guarded([]byte(line)); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// FuzzStub: a line that stands for a redacted one has that one's hash, so that the chain
// holds, however often it is redacted anew.
func FuzzStub(f *testing.F) {
	f.Add(`{"type":"redacted"}`, "one", "two")
	f.Add(` {"a":",\"prev\":\"","b":[1]} `, "x", "")
	f.Add(`{"type":"turn","redacted":"`+strings.Repeat("a", 32)+`"}`, "x", "y")
	f.Fuzz(func(t *testing.T, line, one, two string) {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &object) != nil || len(object) == 0 {
			return
		}
		given := []byte(line)
		was, prev := Sum([]byte(one)), Sum([]byte(two))
		stub := Stub(given, was, prev)
		if string(given) != line {
			t.Errorf("%q was changed to %q", line, given)
		}
		if got, ok := Redacted(stub); !ok || got != was || Sum(stub) != was {
			t.Fatalf("%q: %q stands for %s, %v", line, stub, got, ok)
		}
		if got, ok := Prev(stub); !ok || got != prev {
			t.Errorf("%q: %q follows %s, %v", line, stub, got, ok)
		}
		if !json.Valid(stub) || bytes.ContainsRune(bytes.TrimSuffix(stub, []byte("\n")), '\n') &&
			!strings.Contains(strings.TrimSpace(line), "\n") {
			t.Errorf("%q: %q", line, stub)
		}
		if bare := Bare(stub); Sum(Stub(bare, was, prev)) != was {
			t.Errorf("%q: without the chain %q", line, bare)
		}
		if again := Stub(Bare(stub), was, prev); !bytes.Equal(again, stub) {
			t.Errorf("%q: once more %q", stub, again)
		}
	})
}

// TestNoHash: what looks like a hash and is none chains nothing.
func TestNoHash(t *testing.T) {
	good := strings.Repeat("0a", 16)
	for hash, want := range map[string]bool{
		good: true, strings.ToUpper(good): false, good[1:] + "g": false,
		good[1:]: false, good + "0": false, "": false, good[1:] + " ": false,
	} {
		line := []byte(`{"a":1,"prev":"` + hash + `"}`)
		if _, ok := Prev(line); ok != want {
			t.Errorf("prev %q: %v", hash, ok)
		}
		if got := Bare(line); (string(got) == `{"a":1}`) != want {
			t.Errorf("bare %q: %s", hash, got)
		}
		line = []byte(`{"a":1,"redacted":"` + hash + `","prev":"` + good + `"}`)
		if got, ok := Redacted(line); ok != want || ok && string(got[:]) != hash {
			t.Errorf("redacted %q: %v", hash, ok)
		}
	}
	for _, line := range []string{"", "{}", `"}`, `,"prev":"` + good + `"}`, good} {
		if _, ok := Prev([]byte(line)); ok {
			t.Errorf("%q follows a line", line)
		}
		if got := Bare([]byte(line)); string(got) != line {
			t.Errorf("%q: bare %q", line, got)
		}
	}
}
