package main

import (
	"strings"
	"testing"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/verdict"
)

// TestExplanation has each part of a policy in the words of --explain.
func TestExplanation(t *testing.T) {
	for name, c := range map[string]struct {
		p    access.Policy
		e    explanation
		want string
	}{
		"least": {
			access.Policy{Profile: verdict.ProfileReadOnly, Dir: "/w", Tier: access.Auto},
			explanation{}, `
profile   read-only
cwd       /w
tier      the highest that works (--probe)
write     $TMPDIR, seen as /tmp and /var/tmp: a folder that is removed at the end
hidden    nothing
network   a loopback of its own
limits    nothing
env       
withheld  
`},
		"most": {access.Policy{Profile: verdict.ProfileNetwork, Dir: "/w", Tier: 3,
			Write:   []string{"/w", "/more"},
			Protect: []string{"/w/.git/config", "/w/.git/hooks"},
			Masks:   []access.Mask{{Path: "/h/.ssh", Dir: true}, {Path: "/h/.netrc"}},
			Network: access.NetProxy,
			Tmp:     access.Tmp{Memory: true},
			Limits:  access.Limits{Mem: 1 << 30, CPU: 60, Pids: 9, Fsize: 4096}},
			explanation{Hosts: []string{"a.example:443", "b.example"}, Env: []string{"HOME", "PATH"},
				Withheld: []string{"API_KEY"}}, `
profile   network
cwd       /w
tier      3
write     /w
          /more
          $TMPDIR, seen as /tmp and /var/tmp: in memory
protected /w/.git/config
          /w/.git/hooks
hidden    /h/.ssh
          /h/.netrc
network   a loopback of its own, and a proxy to
          a.example:443
          b.example
limits    mem 1073741824
          cpu 60
          pids 9
          fsize 4096
env       HOME PATH
withheld  API_KEY
`},
		"no host": {access.Policy{Profile: verdict.ProfileNetwork, Dir: "/w", Tier: 2,
			Network: access.NetProxy,
			Tmp:     access.Tmp{Dir: "/t"}}, explanation{}, `
profile   network
cwd       /w
tier      2
write     $TMPDIR, seen as /tmp and /var/tmp: /t
hidden    nothing
network   a loopback of its own, and a proxy to no host
limits    nothing
env       
withheld  
`},
		"none": {access.Policy{Profile: verdict.ProfileNone, Dir: "/w", Tier: 4, Write: []string{"/"},
			Network: access.NetHost}, explanation{}, `
profile   none
cwd       /w
tier      4
write     /
hidden    nothing
network   this machine's
limits    nothing
env       
withheld  
`},
	} {
		c.e.Policy = &c.p
		var b strings.Builder
		if err := c.e.print(&b); err != nil || "\n"+b.String() != c.want {
			t.Errorf("%s: %v:\n%s", name, err, b.String())
		}
	}
}

// TestNameOf is the name of a variable, whatever its value is.
func TestNameOf(t *testing.T) {
	for kv, want := range map[string]string{"A=1": "A", "A=": "A", "A=B=C": "A", "A": "A", "": "",
		"=x": ""} {
		if got := name(kv); got != want {
			t.Errorf("%q: %q", kv, got)
		}
	}
}
