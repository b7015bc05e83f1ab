package seatbelt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/verdict"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	masks := []access.Mask{{Path: "/Users/u/.ssh", Dir: true}, {Path: "/Users/u/.netrc"},
		{Path: "/private/var/run/docker.sock", Socket: true}}
	work := []string{"/Users/u/src"}
	for name, p := range map[string]*access.Policy{
		"read-only": {Profile: verdict.ProfileReadOnly, Network: access.NetOwn, Masks: masks},
		"workspace": {Profile: verdict.ProfileWorkspace, Network: access.NetOwn, Masks: masks,
			Write: work, Protect: []string{"/Users/u/src/.git/hooks"}},
		"network": {Profile: verdict.ProfileNetwork, Network: access.NetProxy, Masks: masks,
			Write: work, Sockets: []string{"/private/tmp/agent"},
			Read: []string{"/Users/u/.ssh/known_hosts"}},
		"none": {Profile: verdict.ProfileNone, Network: access.NetHost, Masks: masks,
			Write: []string{"/"}},
		"home": {Profile: verdict.ProfileWorkspace, Network: access.NetOwn, Masks: masks,
			Write: []string{"/Users/u", "/Users/u/.config/app"}, Tops: []string{"/Users/u"},
			Grants: []string{"/Users/u/.config/app"}},
	} {
		port := 0
		if p.Network == access.NetProxy {
			port = 4711
		}
		got := Generate(p, "/private/tmp/ua-sandbox-1", port)
		text := got.Text + "--\n" + strings.Join(got.Params, "\n") + "\n"
		path := filepath.Join("testdata", name+".sb")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != text {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// No path may reach the text: it could end a string and add a rule.
func TestPathsStayParameters(t *testing.T) {
	evil := `/tmp/x")) (allow default) ("`
	p := &access.Policy{Profile: verdict.ProfileWorkspace, Network: access.NetProxy, Dir: evil,
		Write: []string{evil}, Masks: []access.Mask{{Path: evil + "/s"}},
		Sockets: []string{evil}, Protect: []string{evil + "/p"}, Read: []string{evil + "/s/r"}}
	if got := Generate(p, evil, 1); strings.Contains(got.Text, "allow default") {
		t.Error(got.Text)
	}
	for _, line := range strings.Split(Generate(p, evil, 1).Text, "\n") {
		if strings.Count(line, "(") != strings.Count(line, ")") || len(line) > 1000 {
			t.Errorf("%s", line)
		}
	}
}
