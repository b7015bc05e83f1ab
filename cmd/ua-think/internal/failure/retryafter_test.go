package failure

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"seconds":      {"Retry-After", "20", 20 * time.Second},
		"a fraction":   {"Retry-After", " 1.5 ", 1500 * time.Millisecond},
		"milliseconds": {"Retry-After-Ms", "250", 250 * time.Millisecond},
		"at once":      {"Retry-After", "0", time.Millisecond},
		"a date":       {"Retry-After", "Sun, 22 Nov 2026 10:01:00 GMT", time.Minute},
		"the past":     {"Retry-After", "Sun, 22 Nov 2026 09:00:00 GMT", 0},
		"too long":     {"Retry-After", "1e30", 365 * 24 * time.Hour}, "below 0": {"Retry-After", "-5",
			0},
		"junk":      {"Retry-After", "soon", 0},
		"no number": {"Retry-After", "NaN", 0},
	} {
		if got := retryAfter(http.Header{c.header: {c.value}}, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
