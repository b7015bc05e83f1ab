package main

import (
	"testing"

	"ua/internal/common/verdict"
)

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		line    string
		profile verdict.Profile
		want    bool
	}{
		{"touch: cannot touch 'x': Read-only file system", verdict.ProfileReadOnly, true},
		{"open x: permission denied", verdict.ProfileWorkspace, true},
		{"curl: (6) Could not resolve host: example.org", verdict.ProfileWorkspace, true},
		{"curl: (56) CONNECT tunnel failed, response 403", verdict.ProfileNetwork, true},
		{"ua-sandbox refused this request: x is not on the list", verdict.ProfileNetwork, true},
		{"ua-sandbox refused this request: x is not on the list", verdict.ProfileReadOnly, false},
		{"--- FAIL: TestX", verdict.ProfileWorkspace, false},
	} {
		if got := refused(c.line, c.profile); got != c.want {
			t.Errorf("%s in %s: %v", c.line, c.profile, got)
		}
	}
}
