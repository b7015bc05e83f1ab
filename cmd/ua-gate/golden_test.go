package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

var update = flag.Bool("update", false, "write the verdicts of testdata/golden.tsv anew")

// goldenModes are the situations of the golden verdicts, in the order of their letters.
var goldenModes = []options{
	{ask: true, hosts: []string{"packages", "git"}}, {}, {ask: true, unconfined: true, shell: "bash"},
	{ask: true, unconfined: true, hooked: true, confining: true},
}

// goldenFile has the golden commands, a line each behind their verdicts.
const goldenFile = "testdata/golden.tsv"

// golden returns the text of goldenFile, and a gate for each situation.
func golden(t *testing.T) (text string, gates []*gate) {
	t.Helper()
	file, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", "/home/u")
	t.Setenv("PATH", "/usr/bin:/bin")
	for _, o := range goldenModes {
		o.cwd = "/home/u/project"
		g := gateWith(&prog.Env{Stderr: os.Stderr}, o, policyOf(t))
		for i := range g.tables {
			g.tables[i].Resolve = false
		}
		gates = append(gates, g)
	}
	return string(file), gates
}

// TestGolden compares today's verdicts on some 1,500 commands, ordinary and hostile ones, with
// those of goldenFile: the level, and what is decided with a person there, with nobody there,
// in a live shell and in a hook (a allow, k ask, d deny, r put into a sandbox where nothing can be
// written). A change of the gate writes the file
// anew by -update, and its difference is read.
func TestGolden(t *testing.T) {
	old, gates := golden(t)
	var now bytes.Buffer
	for line := range strings.Lines(old) {
		_, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		text := strings.ReplaceAll(command, "⏎", "\n")
		var level verdict.Level
		letters := ""
		for _, g := range gates {
			v, err := g.decide(&call{command: text}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			level = max(level, v.Risk)
			letter := map[verdict.Decision]string{"allow": "a", "ask": "k", "deny": "d"}[v.Decision]
			if g.hooked && letter == "k" && v.By == "level" {
				there, err := g.confinement("/opt/ua-sandbox")
				if err != nil {
					t.Fatal(err)
				}
				if v = there.confined(call{command: text}, v, false); v.Command != "" {
					letter = "r"
				}
			}
			letters += letter
		}
		is := level.String() + " " + letters + "\t" + command + "\n"
		if is != line && !*update {
			t.Errorf("was %sis  %s", line, is)
		}
		now.WriteString(is)
	}
	if *update {
		if err := os.WriteFile(goldenFile, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
