package run

import "testing"

func TestEndState(t *testing.T) {
	for status, want := range map[int]string{0: Completed, 1: Failed, 2: Failed, 75: Failed,
		124: Timeout, 126: Failed, 129: Cancelled, 130: Cancelled, 131: Cancelled, 137: Failed,
		141: Failed, 143: Cancelled, -1: Failed} {
		if got := EndState(status); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
}
