package main

import "testing"

// TestHelpOnTerminal has a manual that is not installed go through the user's pager.
func TestHelpOnTerminal(t *testing.T) {
	t.Setenv("MANPATH", t.TempDir())
	t.Setenv("MANPAGER", "sed 's/^/paged: /'")
	x := onTerminal(t, "", "help", "policy")
	x.expect("paged: NAME")
	if status := x.end(); status != 0 {
		t.Errorf("status %d: %.99q", status, x.seen)
	}
}
