package prog

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, want, hint string }{
		{"--json -n 3 x", "", ""},
		{"--jsn", `unknown option "--jsn"`, "did you mean --json?"},
		{"--zzzzzz", `unknown option "--zzzzzz"`, "--help lists the options"},
		{"-n x", `-n: bad value "x": want a whole number from 1`, ""},
		{"--json=x", `--json: bad value "x": want true or false`, ""},
		{"-n", "option -n needs a value", ""},
		{"-z", `unknown option "-z"`, "--help lists the options"},
		{"--wait 5", `--wait: bad value "5": want a duration such as 90s or 10m`, ""},
	} {
		fs := Flags()
		fs.Bool("json", false, "")
		var n int
		var wait time.Duration
		Number(fs, &n, "n", 1, 1, 0)
		Duration(fs, &wait, "wait", 0, 0)
		env := &Env{Name: "ua-x", Stdout: os.Stdout, Stderr: os.Stderr}
		err := env.Parse(fs, strings.Fields(c.args), "")
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Error() != c.want || e.Hint != c.hint || e.Status != Trouble {
			t.Errorf("%s: %#v", c.args, err)
		}
	}
}

func TestNearest(t *testing.T) {
	levels := []string{"read_only", "write", "network"}
	for word, want := range map[string]string{"wirte": "write", "netwrk": "network",
		"readonly": "read_only", "banana": "", "": ""} {
		if got := Nearest(word, levels); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
