package classify

import "testing"

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
		p, err := ParsePattern(c.pattern)
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
		if (p.Any(&r) != nil) != c.maybe {
			t.Errorf("Any of %q on %q", c.pattern, c.command)
		}
	}
	if _, err := ParsePattern("  "); err == nil {
		t.Error("an empty pattern")
	}
}
