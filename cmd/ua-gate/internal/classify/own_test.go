package classify

import (
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/table"
)

// TestOwn holds what a line for single names of a row changes for them, and that the others
// keep what the row says.
func TestOwn(t *testing.T) {
	const text = `[command."frob, frobnicate, frobber"]
level = "read_only"
operands = "read*"
flags = "-o:?"
own = """
frobnicate: =N
frobber: -o:write wipe|burn:D list:R
"""
`
	rows, err := table.Parse("t.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	o := here
	o.Overlay = rows
	for command, want := range map[string]string{"frob -o a b": "R", "frob wipe": "R",
		"frobnicate a": "N", "frobber -o a b": "W", "frobber burn a": "D", "frobber a": "R",
		"frobber list": "R"} {
		r := Classify(command, &o)
		if got := letters[r.Level : r.Level+1]; got != want {
			t.Errorf("%q is %s, want %s", command, got, want)
		}
	}
	for _, line := range []string{"frob: x", "frob: =Q", "frob: -o:nothing", "other: =N"} {
		bad := strings.Replace(text, "frobnicate: =N", line, 1)
		if _, err := table.Parse("t.toml", bad); err == nil {
			t.Errorf("%q is no error", line)
		}
	}
}
