package command

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

func TestElsewhere(t *testing.T) {
	for line, want := range map[string]bool{
		"touch: cannot touch '/etc/x': Read-only file system":                true,
		"/bin/bash: line 1: tools/page: Read-only file system":               false,
		"sh: 1: cannot create ../x: Read-only file system":                   true,
		"touch: cannot touch '.git/hooks/x': Read-only file system":          false,
		"mv: cannot move 'a' to '/w/p/.git/config': Device or resource busy": false,
		"mkdir: cannot create directory ‘/w/pp’: Read-only file system":      true,
	} {
		if got := elsewhere(line, "/w/p"); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
