package scripttest

import (
	"testing"
	"time"
)

// patience is how long a test waits for a condition that has to come.
const patience = 60 * time.Second

// Await waits until ready holds, and fails the test if it never does.
func Await(t testing.TB, what string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// NothingFor lets the time d pass. It is for tests of what must not happen, which nothing
// tells the end of: a key that is no answer, a line that is not drawn again.
func NothingFor(d time.Duration) { time.Sleep(d) }
