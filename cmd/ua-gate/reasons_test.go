package main

import (
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// TestReasons holds of all golden commands, in each situation, that the verdict has a reason in
// words, and that the report's reason says of each part at its level what it does: by the part's
// own reason, or by its program's name where no more is to be said.
func TestReasons(t *testing.T) {
	text, gates := golden(t)
	for line := range strings.Lines(text) {
		_, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		command = strings.ReplaceAll(command, "⏎", "\n")
		for _, g := range gates {
			v, err := g.decide(&call{command: command}, nil, nil)
			if err != nil || len(strings.Fields(v.Reason)) < 2 || strings.Contains(v.Reason, "\x00") ||
				v.Decision == verdict.Allow && v.Rule == "" && v.Reason != "no program runs" {
				t.Errorf("%q: %s [%s]: %q, %v", command, v.Decision, v.Rule, v.Reason, err)
			}
			said := v.Parts.Reason
			for p := range v.Parts.All() {
				if p.Level == v.Parts.Level && !strings.Contains(said, p.Reason) &&
					(p.Name == "" || !strings.Contains(said, p.Name)) &&
					!strings.Contains(said, "others ") && !strings.Contains(said, "and more of the kind") {
					t.Errorf("%q: %q says nothing of %q, %q", command, said, p.Name, p.Reason)
				}
			}
		}
	}
}

// TestReasonOfAll: a pipeline's reason names each program, in the order of the command.
func TestReasonOfAll(t *testing.T) {
	g := testGate(t, attended)
	for command, want := range map[string]string{
		"find . | xargs grep -l x": "find, xargs and grep only read",
		"git reset --hard; rsync -a --delete a/ b/": "git reset --hard may lose what can't be made " +
			"again; rsync --delete may lose",
		"rm a; dd if=x of=b; git clean -f": "rm deletes a; ",
		"gcc -c a.c && ./a":                "gcc builds or tests; ./a is a program of the project",
		"apt-get install x":                "apt-get install needs or changes rights",
		"crontab -r":                       "crontab -r: this never runs, whatever a policy says",
		"find . -exec chmod 644 {} +":      "chmod writes something known only when it runs",
		"rm a; rm b; rm c; rm d; rm e":     "rm deletes a; rm deletes b; and more of the kind",
	} {
		if v := decided(t, g, command, nil); !strings.HasPrefix(v.Reason, want) {
			t.Errorf("%s: %q, want %q", command, v.Reason, want)
		}
	}
}
