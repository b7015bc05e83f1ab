package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStartupCommands: what a variable has run is protected also without a repository, by a
// relative path or with arguments.
func TestStartupCommands(t *testing.T) {
	_, work := place(t)
	for _, name := range []string{"ed", "pager", "rc"} {
		put(t, filepath.Join(work, name), "")
	}
	for variable, want := range map[string]string{
		"EDITOR=./ed":            "ed",
		"EDITOR=ed":              "", // found on PATH
		"EDITOR=vim -u ./rc":     "rc",
		"VISUAL=" + work + "/ed": "ed",
		"MANPAGER=sh ./pager":    "pager",
		"LESSOPEN=||-./ed %s":    "ed",
		"BROWSER=./ed %s":        "ed",
		"PAGER=less -R":          "",
	} {
		t.Run(variable, func(t *testing.T) {
			for _, name := range startupCommands {
				t.Setenv(name, "")
			}
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
			p := resolve(t, Options{}, work)
			for _, file := range []string{"ed", "pager", "rc"} {
				if got := slices.Contains(p.Protect, filepath.Join(work, file)); got != (file == want) {
					t.Errorf("%s protected: %v", file, got)
				}
			}
		})
	}
}
