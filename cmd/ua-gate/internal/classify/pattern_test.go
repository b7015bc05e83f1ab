package classify

import (
	"testing"

	"ua/cmd/ua-gate/internal/finding"
)

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, command string
		sure, maybe      bool
	}{
		{"git push *", "git push", true, true},
		{"git push *", "git push origin main", true, true},
		{"git push", "git push origin", false, false},
		{"git push --force *", "git push origin --force", true, true},
		{"git push --force *", "git push origin", false, false},
		{"git push --force *", "git push $X", false, true},
		{"npm *", "/usr/bin/npm install x", true, true},
		{"npm *", "npx x", false, false},
		{"rm *", "sudo rm x", true, true},
		{"rm *", "sh -c 'rm x'", true, true},
		{"rm *", "$X a", false, true},
		{"curl https://example.com/*", "curl https://example.com/a", true, true},
		{"curl https://example.com/*", "curl https://example.org/a", false, false},
		{"make *", "make", true, true},
		{"*", "anything at all", false, false},
	} {
		p, err := finding.ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		r := Classify(c.command, &here)
		sure, maybe := false, false
		for part := range r.All() {
			sure = sure || p.Match(part, false)
			maybe = maybe || p.Match(part, true)
		}
		if sure != c.sure || maybe != c.maybe {
			t.Errorf("%q on %q: %t %t, want %t %t", c.pattern, c.command, sure, maybe, c.sure, c.maybe)
		}
	}
	if _, err := finding.ParsePattern("  "); err == nil {
		t.Error("an empty pattern")
	}
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
		p, err := finding.ParsePattern(c.pattern)
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
