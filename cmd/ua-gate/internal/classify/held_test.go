package classify

import "testing"

// TestHeld holds which commands need a person's yes whatever the policy says of their level, and
// that those near them do not.
func TestHeld(t *testing.T) {
	for _, c := range cases(t, "held.tsv") {
		r := Classify(c.command, &here)
		held := r.Level == denied
		for p := range r.All() {
			held = held || p.Held || p.Unread
		}
		if want := c.want == "H"; held != want {
			t.Errorf("%q: held %v, %v (%s: %s)", c.command, held, r.Level, r.Row, r.Reason)
		}
	}
}
