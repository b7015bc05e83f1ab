package manual

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"ua/man"
)

// TestText: every manual has its sections, its options and nothing of the source's requests.
func TestText(t *testing.T) {
	request := regexp.MustCompile(`(?m)^\s*\.[A-Z][a-z]\b|\\\(aq|Xr `)
	pages, err := fs.Glob(man.Pages, "*")
	if err != nil || len(pages) < 13 {
		t.Fatalf("%v, %v", pages, err)
	}
	for _, name := range pages {
		source, _ := fs.ReadFile(man.Pages, name)
		text := Text(string(source))
		for _, want := range []string{"NAME\n    ", "\nDESCRIPTION\n", "\nSEE ALSO\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if m := request.FindString(text); m != "" {
			t.Errorf("%s: %q is left of the source", name, m)
		}
	}
	const source = ".Sh NAME\n.Nm ua-x\n.Nd try\n.Sh DESCRIPTION\n.Nm\nreads\n.Xr ua 1 ,\nand\n" +
		".Op Fl Fl all\n.Bl -tag\n.It Fl n Ar N\nat most\n.El\n.Bd -literal\n$ a  b\n.Ed\n"
	const want = "NAME\n    ua-x - try\n\nDESCRIPTION\n    ua-x reads ua(1), and [--all]\n\n" +
		"    -n N\n    at most\n\n\n    $ a  b\n"
	if got := Text(source); got != want {
		t.Errorf("%q", got)
	}
}
