package classify

import (
	"testing"

	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// TestHeld holds which commands need a person's yes whatever the policy says of their level, and
// that those near them do not.
func TestHeld(t *testing.T) {
	for _, c := range cases(t, "held.tsv") {
		r := Classify(c.command, &here)
		held := r.Level == verdict.Denied
		for p := range r.All() {
			held = held || p.Held || p.Unread
		}
		if want := c.want == "H"; held != want {
			t.Errorf("%q: held %v, %v (%s: %s)", c.command, held, r.Level, r.Row, r.Reason)
		}
	}
}

// TestRecord holds that nothing loses a user's record without a yes.
func TestRecord(t *testing.T) {
	table, err := table.Parse("policy.toml", "[path]\nrecord = \"notes/\"\n")
	if err != nil {
		t.Fatal(err)
	}
	o := here
	o.Overlay = table
	for command, want := range map[string]bool{
		"rm notes/a": true, "rm -r notes": true, "find notes/x -delete": true, "mv notes/a b": true,
		"truncate -s 0 notes/a": true, ": > notes/a": true, "echo x > notes/a": true,
		"cp b notes/a": true, "echo x >> notes/a": false, "cat notes/a": false, "rm a": false,
		"ls notes": false, "mkdir -p notes": false,
	} {
		r, held := Classify(command, &o), false
		for p := range r.All() {
			held = held || p.Held
		}
		if held != want {
			t.Errorf("%q: held %v, %v (%s: %s)", command, held, r.Level, r.Row, r.Reason)
		}
	}
}
