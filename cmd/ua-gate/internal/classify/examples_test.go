package classify

import (
	"os"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/internal/common/verdict"
)

// BenchmarkOnDemand is what the table costs a gate that judges one command.
func BenchmarkOnDemand(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Classify("git push origin main && cat README.md", &machine.Options{Cwd: "/home/me/project",
			Home: "/home/me"})
	}
}

// TestExamples holds the table's rows to the levels of testdata/examples.tsv, "above LEVEL" where
// a row's own level is not enough.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("testdata/examples.tsv")
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		wanted, command, _ := strings.Cut(strings.TrimSpace(line), "\t")
		got := Classify(strings.ReplaceAll(command, "⏎", "\n"),
			&machine.Options{Cwd: "/home/me/project", Home: "/home/me"})
		name, above := strings.CutPrefix(wanted, "above ")
		want, err := verdict.ParseLevel(name)
		if err != nil || !above && got.Level != want || above && got.Level <= want {
			t.Errorf("line %d: %q is %v (%s: %s), want %s", number, command, got.Level, got.Row,
				got.Reason, wanted)
		}
	}
}
