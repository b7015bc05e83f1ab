package redact

import (
	"math"
	"strings"
	"testing"
	"time"
)

// hostileTexts are texts full of what may begin a secret and does not, or does:
// for every pattern the ones that cost the most to tell.
func hostileTexts() map[string]string {
	texts := map[string]string{}
	add := func(name, unit string) {
		texts[name] = strings.Repeat(unit, (256<<10)/len(unit)+1)
	}
	for i := range formats() {
		r := &formats()[i]
		add(r.start+" alone", r.start)
		add(r.start+" and a space", r.start+" ")
		add(r.start+" too short", " "+r.start+strings.Repeat("a", max(0, r.min-1)))
		add(r.start+" long", " "+r.start+strings.Repeat("a", 600)+"!")
	}
	for i := range formats() {
		if w := formats()[i].start; formats()[i].form == assignment {
			add(w+"=", w+"=")
			add(w+" = ", w+" = ")
			add(w+"=a", w+"=a")
			add(w+"=a1", w+"=a1")
			add(w+": long", w+": "+strings.Repeat("ab_", 200)+" ")
		}
	}
	add("://", "://")
	add("://a", "://a")
	add("://a:", "://a:")
	add("://a:long", "://a:"+strings.Repeat("a", 600)+" ")
	add("BEGIN", "-----BEGIN ")
	add("BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----")
	add("=", "=")
	add("value", "value-of-")
	return texts
}

// BenchmarkRows measures every row on the text that costs it the most, and reports
// the slowest.
func BenchmarkRows(b *testing.B) {
	set, texts := testSet(), hostileTexts()
	slowest, which := math.Inf(1), ""
	for b.Loop() {
		slowest = math.Inf(1)
		for name, text := range texts {
			s := set.Stream(func([]byte) {})
			begun := time.Now()
			s.Write([]byte(text))
			s.Flush()
			if rate := float64(len(text)) / 1e6 / time.Since(begun).Seconds(); rate < slowest {
				slowest, which = rate, name
			}
		}
	}
	b.ReportMetric(slowest, "MB/s-slowest")
	b.Logf("the slowest: %s", which)
}

// TestRows holds every row to what is promised of rows: what fits it is replaced
// wherever it stands, what is shorter or part of a longer word is not.
func TestRows(t *testing.T) {
	set := NewSet(nil)
	seen := map[string]bool{}
	for _, r := range formats() {
		if len(r.start) < 3 || seen[r.start] || r.kind == "" {
			t.Errorf("%q: want three bytes or more, once, and a kind", r.start)
		}
		if seen[r.start] = true; r.form > uuidKey {
			continue
		}
		rest := filler(r.then, r.min, r.form)
		secret := r.start + rest
		for _, text := range []string{secret, "x " + secret + " y", "\"" + secret + "\"",
			"a=" + secret + "\n"} {
			if got, _ := set.Text(text); strings.Contains(got, rest) {
				t.Errorf("%s: %q stays", r.kind, text)
			}
		}
		if Known(secret) == "" {
			t.Errorf("%s: %q is not known", r.kind, secret)
		}
		if short := r.start + rest[:r.min-1]; Known(short) == r.kind {
			t.Errorf("%s: %q is too short", r.kind, short)
		}
		if got, _ := set.Text("w" + secret); r.form == plainKey && strings.Contains(got, r.kind) {
			t.Errorf("%s: a part of a word became %q", r.kind, got)
		}
	}
}

// filler is n bytes of the class, with a dot where the form wants one.
func filler(k class, n int, f form) string {
	var alphabet, out []byte
	for c := range byte(128) {
		if is(c, k) && is(c, alnum) {
			alphabet = append(alphabet, c)
		}
	}
	for i := range n {
		out = append(out, alphabet[(i*7+3)%len(alphabet)])
	}
	switch f {
	case dottedKey:
		out[n/2] = '.'
	case uuidKey:
		for i := range out {
			out[i] = "0123456789abcdef"[i*7%16]
		}
		out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	}
	return string(out)
}
