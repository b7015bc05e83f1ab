package redact

import (
	"strings"
	"testing"
)

// TestPairs: one secret beside another hides neither, whatever their forms: what is searched
// for one must not take the beginning of the other away.
func TestPairs(t *testing.T) {
	set := NewSet(nil)
	type sample struct{ kind, start, rest string }
	var all []sample
	for i := range formats() {
		if r := &formats()[i]; r.form == plainKey || r.form == dottedKey {
			all = append(all, sample{r.kind, r.start, filler(r.then, r.min, r.form)})
		}
	}
	seps := []string{" ", "\n", "'", "\"", ") (", "\x00"} // none is a part of a key
	for i, a := range all {
		for j, b := range all {
			sep := seps[(i+j)%len(seps)]
			text := a.start + a.rest + sep + b.start + b.rest
			got, counts := set.Text(text)
			n := counts[a.kind] + counts[b.kind]
			if a.kind == b.kind && n != 4 || a.kind != b.kind && n != 2 {
				t.Errorf("%q became %q: %v", text, got, counts)
			}
			if strings.Contains(got, a.rest) || strings.Contains(got, b.rest) ||
				!strings.Contains(got, sep) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// TestValuesAndForms: a value that was given goes wherever it stands: in a key, before and
// behind one, over a part of one, in another value, in capitals not.
func TestValuesAndForms(t *testing.T) {
	key := key("ghp_", mixed, 36)
	set := NewSet(map[string]string{"value-of-mine": "given", "value-of-mine-too": "longer",
		key[8:30]: "part", "-of-mine-": "inner"})
	for _, c := range []struct{ text, want string }{
		{"value-of-mine", "[redacted:given]"}, {"value-of-mine-too", "[redacted:longer]"},
		{"value-of-mine-to", "[redacted:given]-to"}, {"xvalue-of-minex", "x[redacted:given]x"},
		{"value-of-minevalue-of-mine", "[redacted:given][redacted:given]"},
		{"value-of-value-of-mine", "value-of-[redacted:given]"}, {"VALUE-OF-MINE", "VALUE-OF-MINE"},
		{"a-of-mine-b", "a[redacted:inner]b"}, {key, "[redacted:github_token]"},
		{key + " value-of-mine " + key,
			"[redacted:github_token] [redacted:given] [redacted:github_token]"},
		{"\"" + key[8:30] + "\"", "\"[redacted:part]\""},
		{"https://u:value-of-mine@h/", "https://u:[redacted:url_password]@h/"},
		{"password=value-of-mine", "password=[redacted:given]"},
	} {
		for cut := range len(c.text) {
			if got := pieces(set, []byte(c.text), cut); got != c.want {
				t.Errorf("%q cut at %d: %q, want %q", c.text, cut, got, c.want)
				break
			}
		}
	}
}
