package redact

import (
	"strings"
	"testing"
)

// work returns how many bytes are looked at beyond the search for anchors: at each place
// where one stands, for each of its patterns, those that it takes to tell whether it is
// a secret.
func work(s *Set, text string) (bytes int) {
	s.once.Do(s.compile)
	w := []byte(text)
	for at := 0; ; at++ {
		place, list := s.find(w, at)
		if list == 0 {
			return bytes
		}
		at = place
		for p := range s.of(list) {
			start := at - p.anchor
			if start < 0 {
				continue
			}
			told := func(n int) bool {
				part := w[:min(start+n, len(w))]
				switch p.starts(part[start:]) {
				case no:
					return true
				case wait:
					return len(part) == len(w)
				}
				return p.matchAt(part, start, false).outcome != wait || len(part) == len(w)
			}
			n := 1
			for !told(n) {
				n++
			}
			bytes += n
		}
	}
}

// TestWork bounds what each form of secrets costs: in ordinary text next to nothing, and
// in text that is made of a form's starts no more than a few times its length.
func TestWork(t *testing.T) {
	ordinary := strings.Repeat(
		"the quick brown fox jumps over the lazy dog, and the build takes 12 s\n"+
			"\tif err := s.queue.put(item{line: event.Error(s.env.Name, bad.Error(), false)}); "+
			"err != nil {\n"+
			"2026-11-24T03:00:00Z INFO request https://example.com/a/b?c=d took 12ms status=200\n", 40)
	for _, values := range []map[string]string{nil, {"the quick brown fox": "given"},
		{"eeeeeeeeeeee": "given"}, {"            ": "given"}} {
		s := NewSet(values)
		if n := work(s, ordinary); n > len(ordinary)/5 {
			t.Errorf("%v: %d bytes are looked at in %d of ordinary text", values, n, len(ordinary))
		}
	}
	s := NewSet(nil)
	for i := range formats() {
		start := formats()[i].start
		for _, text := range []string{strings.Repeat(start, 4096/len(start)),
			strings.Repeat(start+" ", 4096/len(start)), strings.Repeat(start+"aA1", 4096/len(start))} {
			if n := work(s, text); n > 40*len(text) {
				t.Errorf("%s: %d bytes are looked at in %d of %.40q…", start, n, len(text), text)
			}
		}
	}
}
