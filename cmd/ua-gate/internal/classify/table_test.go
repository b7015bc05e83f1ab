package classify

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

func readTable(t testing.TB) *Table {
	t.Helper()
	text, err := os.ReadFile("commands.toml")
	if err != nil {
		t.Fatal(err)
	}
	table, err := ParseTable("commands.toml", string(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestOnDemand holds that each row, and the lists, are the same when they are
// decoded alone as they are when the whole table is read.
func TestOnDemand(t *testing.T) {
	whole, lazy := readTable(t), lazyTable(rowsText)
	for name, want := range whole.rows {
		if have := lazy.find(name); !reflect.DeepEqual(have, want) {
			t.Errorf("%s: on demand %+v, in the table %+v", name, have, want)
		}
	}
	if lazy.find("no such program") != nil || len(lazy.rows) != len(whole.rows) {
		t.Error("a program without a row has one, or is remembered")
	}
	lists := Table{vars: *lazy.variables(), paths: lazy.places().paths}
	whole.paths.addSecrets()
	if !reflect.DeepEqual(lists.vars, whole.vars) || !reflect.DeepEqual(lists.paths, whole.paths) {
		t.Error("the lists of variables and paths are others on demand")
	}
}

// BenchmarkOnDemand is what the table costs a gate that judges one command.
func BenchmarkOnDemand(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Classify("git push origin main && cat README.md", &Options{Cwd: "/home/me/project",
			Home: "/home/me"})
	}
}

// TestExamples holds each row to its own examples.
func TestExamples(t *testing.T) {
	for _, e := range readTable(t).Examples() {
		got := Classify(e.Command, &Options{Cwd: "/home/me/project", Home: "/home/me"})
		name, not := strings.CutPrefix(e.Want, "not ")
		want, err := verdict.ParseLevel(name)
		if err != nil || !not && got.Level != want || not && got.Level <= want {
			t.Errorf("commands.toml:%d: %s: %q is %v (%s: %s), want %s", e.Line, e.Row, e.Command,
				got.Level, got.Row, got.Reason, e.Want)
		}
	}
}
