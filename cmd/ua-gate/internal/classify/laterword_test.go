package classify

import (
	"fmt"
	"strings"
	"testing"
)

// TestQuotedAssignment holds that an assignment means the same in quotes, in a variable and
// behind each of the builtins that take one.
func TestQuotedAssignment(t *testing.T) {
	for name := range readTable(t).vars.named {
		plain := Classify("export "+name+"=/tmp/x; make", &here).Level
		if plain <= write {
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

// TestLaterValue holds that what runs later runs with what its variables hold by then: a trap at
// the end, and a loop's body in its second round.
func TestLaterValue(t *testing.T) {
	for _, c := range cases(t, "hostile.tsv") {
		if len(c.command) > 60 || Classify("v=x; "+c.command, &here).Level <= write {
			continue
		}
		quoted := "'" + strings.ReplaceAll(c.command, `'`, `'\''`) + "'"
		for _, form := range []string{`c=ls; trap 'eval "$c"' EXIT; c=%s`,
			`c=ls; while a; do eval "$c"; c=%s; done`,
			`c=ls; f() { eval "$c"; }; trap f EXIT; c=%s`} {
			if r := Classify(fmt.Sprintf(form, quoted), &here); r.Level <= write {
				t.Errorf(form+" is %v", quoted, r.Level)
			}
		}
	}
}
