package prog

import (
	"slices"
	"strings"
	"testing"
)

// TestBundles: short options may stand together and with their value (POSIX, XBD 12.2).
func TestBundles(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-qm X task", "true X  [task]"},
		{"-mX -q", "true X  []"},
		{"-qoFILE -- -m", "true  FILE [-m]"},
		{"-o -qm X", "false  -qm [X]"},
		{"-m=X -oa=b", "false X a=b []"},
		{"--model -qm -q", "true -qm  []"},
		{"-model X", "false X  []"},
		{"task -qm X", "false   [task -qm X]"},
		{"-q - -q", "true   [- -q]"},
		{"-qz", "unknown option \"--qz\""},
		{"-z", "unknown option \"-z\""},
		{"-qo", "option -o needs a value"},
	} {
		fs := Flags()
		var q bool
		var m, o string
		fs.BoolVar(&q, "q", false, "")
		fs.StringVar(&m, "m", "", "")
		fs.StringVar(&m, "model", "", "")
		fs.StringVar(&o, "o", "", "")
		args := strings.Fields(c.args)
		before := slices.Clone(args)
		got := ""
		if err := (&Env{}).Parse(fs, args, ""); err != nil {
			got = err.Error()
		} else {
			got = strings.Join([]string{map[bool]string{true: "true", false: "false"}[q], m, o,
				"[" + strings.Join(fs.Args(), " ") + "]"}, " ")
		}
		if got != c.want || !slices.Equal(args, before) {
			t.Errorf("%s: %q, not %q", c.args, got, c.want)
		}
	}
}
