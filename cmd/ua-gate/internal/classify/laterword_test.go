package classify

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// TestQuotedAssignment holds that an assignment means the same in quotes, in a variable and
// behind each of the builtins that take one.
func TestQuotedAssignment(t *testing.T) {
	for _, name := range variableNames(t) {
		plain := Classify("export "+name+"=/tmp/x; make", &here).Level
		if plain <= verdict.Write {
			continue
		}
		for _, form := range []string{`export "%s=/tmp/x"; make`, `export -- '%s=/tmp/x'; make`,
			`declare -x "%s=/tmp/x"; make`, `v='%s=/tmp/x'; export "$v"; make`,
			`f() { typeset -x "%s=/tmp/x"; make; }; f`, `set -- %s=/tmp/x; export "$1"; make`} {
			if r := Classify(fmt.Sprintf(form, name), &here); r.Level < plain {
				t.Errorf(form+" is %v, and export %s=/tmp/x is %v", name, r.Level, name, plain)
			}
		}
	}
}

// variableNames returns the names of variables in the table.
func variableNames(t *testing.T) (names []string) {
	text, err := os.ReadFile("../table/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := false
	for line := range strings.Lines(string(text)) {
		if kind, list, ok := strings.Cut(line, ":"); ok && kind[0] == '$' {
			line, listed = list, true
		} else if !strings.HasPrefix(line, "    ") {
			listed = false
		}
		for name := range strings.FieldsSeq(line) {
			if listed && !strings.Contains(name, "*") {
				names = append(names, name)
			}
		}
	}
	if len(names) < 500 {
		t.Fatalf("only %d names", len(names))
	}
	return names
}

// TestLaterValue holds that what runs later runs with what its variables hold by then: a trap at
// the end, and a loop's body in its second round.
func TestLaterValue(t *testing.T) {
	for _, c := range cases(t, "hostile.tsv") {
		if len(c.command) > 60 || Classify("v=x; "+c.command, &here).Level <= verdict.Write {
			continue
		}
		quoted := "'" + strings.ReplaceAll(c.command, `'`, `'\''`) + "'"
		for _, form := range []string{`c=ls; trap 'eval "$c"' EXIT; c=%s`,
			`c=ls; while a; do eval "$c"; c=%s; done`,
			`c=ls; f() { eval "$c"; }; trap f EXIT; c=%s`} {
			if r := Classify(fmt.Sprintf(form, quoted), &here); r.Level <= verdict.Write {
				t.Errorf(form+" is %v", quoted, r.Level)
			}
		}
	}
}
