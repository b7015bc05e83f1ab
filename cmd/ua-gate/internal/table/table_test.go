package table

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func readTable(t testing.TB) *Table {
	t.Helper()
	table, err := parseRows("commands.txt", rowsText)
	if err != nil {
		t.Fatal(err)
	}
	table.paths.addSecrets()
	return table
}

// TestOnDemand holds that each row, and the lists, are the same when they are
// decoded alone as they are when the whole table is read.
func TestOnDemand(t *testing.T) {
	whole, lazy := readTable(t), lazyTable(rowsText)
	for name, want := range whole.rows {
		if have := lazy.Find(name); !reflect.DeepEqual(have, want) {
			t.Errorf("%s: on demand %+v, in the table %+v", name, have, want)
		}
	}
	if lazy.Find("no such program") != nil || len(lazy.rows) != len(whole.rows) {
		t.Error("a program without a row has one, or is remembered")
	}
	lazy.Variable("")
	lists := Table{vars: lazy.vars, paths: lazy.places().paths}
	if !reflect.DeepEqual(lists.vars, whole.vars) || !reflect.DeepEqual(lists.paths, whole.paths) {
		t.Error("the lists of variables and paths are others on demand")
	}
}

// TestParseRows holds that a wrong line of the table is an error that names it.
func TestParseRows(t *testing.T) {
	for text, want := range map[string]string{
		"a, b: R loose\n    @echo\n  R c d\n  e: W (read* write) -o:write ; says why\n": "",
		"a: R\n\nb\n":             `3: "b" is no row`,
		"a: Q\n":                  `1: unknown level "Q"`,
		"a: R/Z\n":                `1: unknown level "R/Z"`,
		"a: R nothing\n":          `1: "a": unknown fact "nothing"`,
		"a: R @nobody\n":          `1: "a": unknown reader "nobody"`,
		"a: R (read\n":            `1: "(read" is not closed`,
		"a: R (reed)\n":           `1: "a": operands: unknown effect "reed"`,
		"a: R -o:rite\n":          `1: "a": flags: "-o:rite": unknown effect "rite"`,
		"a: R -o loose\n":         `1: "a": flags: "loose" does not begin with a dash`,
		"a: R\n# x\nb: W\na: R\n": `4: a second row for "a"`,
		"a: R\n   b: R\n":         `2: "b: R" is no row`,
		"  R b\n":                 `1: "R b" belongs to no row`,
		"a: R\n\n    -x\n":        `3: "-x" is no row`,
		"a: R\n  R b\n  R c\n":    `3: a second line of sub-commands at R`,
		"a,b: R\n":                `1: "a,b: R": a comma and a space part names`,
		"a\n    b: R\n":           `1: "a": a comma and a space part names`,
		"a: R\n  R b b\n":         `1: "a": subs: "b" stands twice`,
		"a: R\n  b: R\n  W c\n":   `3: "W c" belongs to no row`,
		"a: R\n  only b: =N\n":    `1: "a": own: "b" is not in the row`,
		"a: like=b R\n":           `1: like: no row "b"`,
		"$wrong: A\n":             `1: env: unknown kind "wrong"`,
		"/wrong: a\n":             `1: path: unknown kind "wrong"`,
	} {
		_, err := parseRows("t", text)
		if got := fmt.Sprint(err); want == "" != (err == nil) || !strings.HasPrefix(got, "t:"+want) &&
			err != nil {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// parseRows reads a table in the grammar of commands.txt. The name stands in errors:
// "commands.txt:14: …".
func parseRows(name, text string) (*Table, error) {
	t := &Table{rows: map[string]*Row{}}
	var rows []namedRow
	env, path, like := map[string]string{}, map[string]string{}, map[string]rowText{}
	for r, err := range tableRows(text, "") {
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, lineAt(text, r.at), err)
		}
		switch list := map[byte]map[string]string{'$': env, '/': path}[r.names[0]]; {
		case list != nil && len(rows) > 0:
			return nil, fmt.Errorf("%s:%d: a list stands below rows", name, lineAt(text, r.at))
		case list != nil:
			list[r.names[1:]] = r.list
			continue
		}
		rows = append(rows, r)
		for n := range namesIn(r.names) {
			like[n] = r.text
		}
		if len(like) > mostNames {
			return nil, fmt.Errorf("%s:%d: more than %d names", name, lineAt(text, r.at), mostNames)
		}
	}
	p := tableParser{file: name, t: t}
	p.like = func(name string) (r rowText, ok bool) { r, ok = like[name]; return r, ok }
	for _, r := range rows {
		p.first = lineAt(text, r.at)
		if err := p.row(r.names, r.text); err != nil {
			return nil, err
		}
	}
	return t, cmp.Or(p.env(env), p.path(path))
}

// lineAt returns the number of the line that begins at a byte of a text, from 1.
func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// mostNames is how many names the index of the embedded table has without being slow.
const mostNames = nameSlots / 4 * 3

// FuzzParseRows holds that no text makes the reader of the embedded table's grammar panic, and
// that a row is the same when it is read alone.
func FuzzParseRows(f *testing.F) {
	f.Add("a, b: R/W sharp @echo (read* write) -o|--output:write\n    -n:=R ; says why\n  N push\n" +
		"  only b: =N -z:W rm:D\n  x y: D\n    R list\n$danger: X_*\n/secret: /a/*/ b\n")
	f.Add("a : B ")
	f.Add("a,  b: B")
	f.Add("a\n    b: B")
	f.Add("a: B\n\n  b: B\n# c: B\n  d: B")
	f.Fuzz(func(t *testing.T, text string) {
		whole, err := parseRows("t", text)
		if err != nil {
			return
		}
		for name, want := range whole.rows {
			if have := lazyTable(text).Find(name); !reflect.DeepEqual(have, want) {
				t.Errorf("%q: %q on demand %+v, in the table %+v", text, name, have, want)
			}
		}
	})
}
