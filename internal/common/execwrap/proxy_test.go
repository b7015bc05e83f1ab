package execwrap

import (
	"strings"
	"testing"
)

// TestLeaseStart: each proxy has a start of its own, which every password that it leases
// tells, and none tells the proxy's own password.
func TestLeaseStart(t *testing.T) {
	start := LeaseStart("secret")
	if strings.Contains(start, "secret") || len(start) != 32 || start == LeaseStart("other") {
		t.Errorf("%q", start)
	}
	for _, leased := range []string{start + "-A", start + "-B-C", start + "-"} {
		if got := LeaseStart(leased); got != start {
			t.Errorf("%q: %q, want %q", leased, got, start)
		}
	}
}
