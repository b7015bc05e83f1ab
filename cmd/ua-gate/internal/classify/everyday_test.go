package classify

import (
	"os"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/internal/common/verdict"
)

// cases reads a file of levels, as letters, and commands. A ⏎ in
// a command is the end of a line.
func cases(t testing.TB, file string) (list []struct{ want, command string }) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		want, command, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			list = append(list, struct{ want, command string }{want, strings.ReplaceAll(command, "⏎",
				"\n")})
		}
	}
	return list
}

var here = machine.Options{Cwd: "/home/me/project", Home: "/home/me"}

// letters are the levels in files of cases.
const letters = "RBWDNPX"

func TestEveryday(t *testing.T) {
	for _, c := range append(cases(t, "everyday.tsv"), cases(t, "inline-harmless.tsv")...) {
		r := Classify(c.command, &here)
		if !fits(&r, c.want) {
			t.Errorf("%q is %v (%s: %s), want one of %s", c.command, r.Level, r.Row, r.Reason, c.want)
		}
	}
}

// fits reports whether the level of a command is among those, apart from code that no rule reads:
// the sandbox holds that, and nobody is asked about it.
func fits(r *finding.Report, levels string) bool {
	level := verdict.ReadOnly
	for p := range r.All() {
		if len(p.Effects) == 0 {
			level = max(level, p.Level)
		}
		for _, e := range p.Effects {
			if e.Act != judgement.RunsUnread {
				level = max(level, e.Act.Level())
			}
		}
	}
	return strings.Contains(levels, letters[r.Level:r.Level+1]) ||
		level < r.Level && (strings.Contains(levels, letters[level:level+1]) ||
			level == verdict.ReadOnly)
}

// TestHostile holds each command to the level that it must at least have.
func TestHostile(t *testing.T) {
	for _, c := range append(cases(t, "hostile.tsv"), cases(t, "inline-hostile.tsv")...) {
		r := Classify(c.command, &here)
		if least := verdict.Level(strings.Index(letters, c.want)); r.Level < least {
			t.Errorf("%q is %v (%s: %s), want at least %v", c.command, r.Level, r.Row, r.Reason, least)
		}
	}
}
