package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A variable of the user's folders may lead to the home, to the working folder or to what
// is around them, also where /tmp is hidden: no tier is lost by it, the work goes on, and
// what else lies in the folder of a session stays out of reach.
func TestFolderVariables(t *testing.T) {
	list := tiers(t)
	for _, parent := range []string{"/tmp", ""} {
		top, err := os.MkdirTemp(parent, "ua-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(top)
		home := filepath.Join(top, "home")
		shell(t, top, "mkdir -p home/work/sub home/sub; chmod 755 .; "+
			"for f in auth home/auth home/work/auth; do echo TOKEN >$f; done")
		t.Setenv("HOME", home)
		for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR"} {
			for _, value := range []string{top, home, home + "/work"} {
				t.Run(name+"="+value, func(t *testing.T) {
					t.Setenv(name, value)
					for _, tier := range list {
						folderVariable(t, tier, home, value)
					}
				})
			}
		}
	}
}

// folderVariable runs commands in the home and in the folder work of it.
func folderVariable(t *testing.T, tier, home, value string) {
	for _, dir := range []string{home, filepath.Join(home, "work")} {
		for profile, want := range map[string]string{"workspace": "x\n" + tier, "read-only": tier} {
			got := output(t, dir, "--quiet", "--tier", tier, "--profile", profile, "--", "sh", "-c",
				`exec 2>/dev/null; echo x >sub/new && cat sub/new; rm sub/new; `+
					`echo $UA_SANDBOX; ls . >/dev/null && pwd; cat "$0/auth"; true`, value)
			hidden := os.Getenv("XDG_RUNTIME_DIR") == value && value != dir
			if hidden && strings.Contains(got, "TOKEN") || !strings.HasPrefix(got, want+"\n"+dir) {
				t.Errorf("tier %s, %s in %s: %s", tier, profile, dir, got)
			}
		}
	}
}
