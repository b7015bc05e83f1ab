package classify

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// asRegexp is a pattern's word as a regular expression.
func asRegexp(word string) *regexp.Regexp {
	parts := strings.Split(word, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, `.*`) + `\z`)
}

// TestGlob: "Inside a word, * matches any text", as Go's regexp says of the same.
func TestGlob(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	matched := 0
	for range 20000 {
		pattern, text := word("ab*", 8), word("ab\n", 10)
		want := asRegexp(pattern).MatchString(text)
		if got := glob(pattern, text); got != want {
			t.Fatalf("%q on %q: %v, regexp says %v", pattern, text, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matches", matched)
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b*c", "abbc")
	f.Add("*", "")
	f.Add("**.org/*", "https://x.org/\xff")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 50 || !utf8.ValidString(pattern) || !utf8.ValidString(text) {
			return // regexp reads letters, not bytes
		}
		if got, want := glob(pattern, text), asRegexp(pattern).MatchString(text); got != want {
			t.Fatalf("%q on %q: %v, regexp says %v", pattern, text, got, want)
		}
	})
}

// TestPatternWords holds the sentences of ua-policy(5) under "pattern".
func TestPatternWords(t *testing.T) {
	for _, c := range []struct {
		sentence, pattern, command string
		sure, maybe                bool
	}{
		{"wherever it stands: in a pipe", "rm *", "ls | rm a", true, true},
		{"in a substitution", "rm *", "echo \"$(rm a)\" `ls`", true, true},
		{"behind sudo", "rm *", "sudo -u x rm a", true, true},
		{"behind sh -c", "rm *", "sh -c 'cd x; rm a'", true, true},
		{"in a function", "rm *", "f() { rm a; }; f", true, true},
		{"not a word of another command", "rm *", "echo rm a", false, false},
		{"not in quotes of another", "rm *", "echo 'rm a'", false, false},
		{"the path only if that word has a slash", "tool *", "/opt/x/tool a", true, true},
		{"", "tool *", "./tool a", true, true},
		{"", "/opt/x/tool *", "/opt/x/tool a", true, true},
		{"", "/opt/x/tool *", "tool a", false, false},
		{"", "/opt/x/tool *", "/opt/y/tool a", false, false},
		{"", "/opt/*/tool *", "/opt/y/tool a", true, true},
		{"inside a word, * matches any text", "to*l", "tool", true, true},
		{"", "a x*z", "a xyz", true, true}, {"", "a x*z", "a x/y/z", true, true},
		{"", "a x*z", "a xz", true, true}, {"", "a x*z", "a 'x y z'", true, true},
		{"", "a x*z", "a xyzw", false, false},
		{"as the last word, any number of further words, or none", "a b *", "a b", true, true},
		{"", "a b *", "a b c -d e", true, true}, {"", "a b *", "a c b", false, false},
		{"without it, a command with further words does not match", "a b", "a b c", false, false},
		{"", "a b", "a b -c", false, false}, {"", "a", "a", true, true}, {"", "a", "a b", false, false},
		{"a word that begins with a dash matches at any position", "a -x *", "a b -x", true, true},
		{"", "a -x *", "a -x b", true, true}, {"", "a b -x *", "a -x b", true, true},
		{"", "a -x -y *", "a -y b -x", true, true}, {"", "a -x -y *", "a -x -x", false, false},
		{"", "a -x", "a b -x", false, false}, {"", "a -x*", "a -xyz", true, true},
		{"a word whose value is unknown could be anything", "a b", "a $x", false, true},
		{"", "a b", "a \"$x\"", false, true}, {"", "a b *", "$x b", false, true},
		{"", "a -x *", "a $y", false, true}, {"", "a b", "b $x", false, false},
		{"", "a b", "a b$x", false, true},
		{"quotes are not part of a word", "a b", "a 'b'", true, true},
		{"", "a b", `'a' "b"`, true, true}, {"", "a b", `\a b`, true, true},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		r := Classify(c.command, &here)
		sure, maybe := false, false
		for part := range r.All() {
			sure, maybe = sure || p.Match(part, false), maybe || p.Match(part, true)
		}
		if sure != c.sure || maybe != c.maybe {
			t.Errorf("%s: %q on %q: %t %t, want %t %t",
				c.sentence, c.pattern, c.command, sure, maybe, c.sure, c.maybe)
		}
	}
}
