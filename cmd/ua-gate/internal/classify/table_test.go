package classify

import (
	"bytes"
	_ "embed"
	goflag "flag"
	"fmt"
	gofmt "go/format"
	"os"
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

//go:generate go test -run TestGenerated -args -update

var update = goflag.Bool("update", false, "write commands_gen.go anew")

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

// TestGenerated holds commands_gen.go to commands.toml. With -update it writes it.
func TestGenerated(t *testing.T) {
	want := goSource(readTable(t))
	if *update {
		if err := os.WriteFile("commands_gen.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, _ := os.ReadFile("commands_gen.go")
	if !bytes.Equal(have, want) {
		t.Error("commands_gen.go is not what commands.toml says: run go generate ./cmd/ua-gate/internal/classify")
	}
}

// goSource is the table as Go source: data that the linker lays out, so that
// it costs nothing at start.
func goSource(t *Table) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated from commands.toml by go generate; DO NOT EDIT.\n\npackage classify\n\n")
	b.WriteString("// builtin is the embedded table.\nvar builtin = Table{\nnames: []entry{\n")
	for _, n := range t.names {
		fmt.Fprintf(&b, "{%q, %d},\n", n.name, n.row)
	}
	b.WriteString("},\nrows: []row{\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "{name: %q, level: %d, alone: %d, facts: %d, reader: %q, why: %q", r.name, r.level, r.alone, r.facts, r.reader, r.why)
		if len(r.flags) > 0 {
			b.WriteString(", flags: []flag{")
			for _, f := range r.flags {
				fmt.Fprintf(&b, "{%q, %d, %d, %t, %d},", f.name, f.value, f.level, f.base, f.drop)
			}
			b.WriteString("}")
		}
		if len(r.slots) > 0 {
			b.WriteString(", slots: []slot{")
			for _, s := range r.slots {
				fmt.Fprintf(&b, "{%d, %d, %t},", s.what, s.level, s.star)
			}
			b.WriteString("}")
		}
		if len(r.subs) > 0 {
			b.WriteString(", subs: []sub{")
			for _, s := range r.subs {
				fmt.Fprintf(&b, "{%q, %d},", s.name, s.level)
			}
			b.WriteString("}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("},\nvars: []variable{\n")
	for _, v := range t.vars {
		fmt.Fprintf(&b, "{%q, %d},\n", v.name, v.kind)
	}
	for _, list := range []struct {
		name  string
		rules []pathRule
	}{{"wild", t.wild}, {"paths", t.paths}} {
		fmt.Fprintf(&b, "},\n%s: []pathRule{\n", list.name)
		for _, p := range list.rules {
			fmt.Fprintf(&b, "{%q, %q, %t, %t, %d},\n", p.first, p.rest, p.anchored, p.tree, p.kind)
		}
	}
	b.WriteString("},\n}\n")
	source, err := gofmt.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return source
}

// TestExamples holds each row to its own examples.
func TestExamples(t *testing.T) {
	for _, e := range readTable(t).Examples() {
		got := Classify(e.Command, &Options{Cwd: "/home/me/project", Home: "/home/me"})
		name, not := strings.CutPrefix(e.Want, "not ")
		want, err := verdict.ParseLevel(name)
		if err != nil || !not && got.Level != want || not && got.Level <= want {
			t.Errorf("commands.toml:%d: %s: %q is %v (%s: %s), want %s", e.Line, e.Row, e.Command, got.Level, got.Row, got.Reason, e.Want)
		}
	}
}
