package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestConfinedUA: whatever a confined shell says, in any folder, a #! line of it starts
// nothing that may do more than that shell.
func TestConfinedUA(t *testing.T) {
	for profile, want := range map[string]string{"workspace": "new\n", "read-only": "old\n"} {
		t.Run(profile, func(t *testing.T) {
			inShells(t, func(t *testing.T, shell string) {
				scripttest.Need(t, shell)
				home := t.TempDir()
				report := filepath.Join(home, "docs/report")
				mine := filepath.Join(home, "work/mine")
				for _, path := range []string{report, mine} {
					os.MkdirAll(filepath.Dir(path), 0o755)
					os.WriteFile(path, []byte("old\n"), 0o644)
				}
				url, m := serve(t, "call: echo new >"+report+"; echo new >"+mine+"; pwd\n---\ntext: Tidy.")
				m.AnyTurn = true
				a := askAt(t, home, shell, url, m, []string{"--sandbox", profile})
				a.line("cd ~/docs")
				if shell == "bash" { // code of the shell's own speaks for its hook
					a.line(nonces[shell] + `; eval "o$(declare -f __ua_meet)"; __ua_meet() { ` +
						`o__ua_meet "$@"; [[ $said ]] || printf '\e]7283;%s;E;%s;q%q\a' "$n" ` +
						`"$__ua_key" "#! tidy up, it's \"mine\"" >/dev/tty; said=1; }`)
					a.line("true")
				} else {
					a.send("#! tidy up, it's \"mine\"\r")
				}
				a.expect("Tidy.")
				a.alive()
				if !strings.Contains(a.request(1), `tidy up, it's \"mine\"`) {
					t.Errorf("%s", a.request(1))
				}
				if got, _ := os.ReadFile(report); string(got) != "old\n" {
					t.Errorf("outside of the session's folder: %q", got)
				}
				if got, _ := os.ReadFile(mine); string(got) != want {
					t.Errorf("in the session's folder: %q", got)
				}
				for _, r := range a.journal("run") {
					if r.Get("depth").Int() == 0 && (r.Get("cwd").Str != a.work ||
						r.Get("profile").Str != profile) {
						t.Errorf("a run that is resumed works there: %s", r)
					}
				}
			})
		})
	}
}
