package main

import "testing"

// TestAdded: what follows a job's log prints each line once, also where ua-exec has replaced the
// log by a shorter one.
func TestAdded(t *testing.T) {
	for _, c := range []struct{ seen, log, want string }{
		{"", "", ""}, {"", "a\n", "a\n"}, {"a\n", "a\n", ""}, {"a\nb", "a\nbc\nd\n", "c\nd\n"},
		{"1\n2\n3\n", "2\n3\n4\n", "4\n"}, {"1\n2\n3", "2\n3x\n4\n", "x\n4\n"},
		{"1\n2\n3\n", "3\n4\n5\n", "4\n5\n"}, {"1\n2\n3\n", "7\n8\n", "7\n8\n"},
		{"1\n", "", ""}, {"long", "other\n", "other\n"},
	} {
		if got := string(added([]byte(c.seen), []byte(c.log))); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.seen, c.log, got, c.want)
		}
	}
}
