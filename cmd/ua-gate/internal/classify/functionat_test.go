package classify

import (
	"testing"

	"ua/internal/common/verdict"
)

// TestFunctionAt holds that a function stands for the program of its name only where it surely is
// the one that runs.
func TestFunctionAt(t *testing.T) {
	for _, c := range []string{
		"false && rm() { :; }; rm a", "(rm() { :; }); rm a", "rm() { :; } & rm a",
		"rm() { :; } | cat; rm a", "if a; then rm() { :; }; fi; rm a", "rm() { :; }; unset -f rm; rm a",
		"rm() { :; }; unset -f r{m,x}; rm a", "rm() { :; }; unset -f \"$x\"; rm a",
		"rm() { :; }; command rm a", "rm() { :; }; env rm a", "rm() { :; }; sh -c 'rm a'",
		"rm() { :; }; . ./x; rm a", "rm a; rm() { :; }", "rm() { :; }; eval 'unset -f rm'; rm a",
		"rm() { :; }; /bin/rm a",
	} {
		if r := Classify(c, &here); r.Level < verdict.Destructive {
			t.Errorf("%s: %v", c, r.Level)
		}
	}
	if r := Classify("rm() { echo \"$@\"; }; rm a", &here); r.Level != verdict.ReadOnly {
		t.Errorf("a function that prints: %v (%s)", r.Level, r.Row)
	}
}
