package manual

import (
	"bytes"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
	"ua/man"
)

// marks are what the two programs set with different characters.
var marks = regexp.MustCompile("[\"'`\u00a0]")

var hyphen = regexp.MustCompile(`(\w-)\n +`)

// words is the text without its line breaks, quotation marks and bullets.
func words(text string) string {
	text = marks.ReplaceAllString(text, "")
	return strings.ReplaceAll(" "+strings.Join(strings.Fields(text), " "), " * ", " o ")
}

// TestAgainstMandoc sets every manual and compares each word with what mandoc(1) makes
// of it.
func TestAgainstMandoc(t *testing.T) {
	scripttest.Need(t, "mandoc")
	pages, err := fs.Glob(man.Pages, "*")
	if err != nil || len(pages) < 13 {
		t.Fatalf("%v, %v", pages, err)
	}
	for _, name := range pages {
		source, _ := fs.ReadFile(man.Pages, name)
		cmd := exec.Command("mandoc", "-T", "ascii", "-O", "width=78")
		cmd.Stdin = bytes.NewReader(source)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		plain := regexp.MustCompile(".\b").ReplaceAllString(string(out), "")
		lines := strings.Split(strings.TrimSpace(plain), "\n")
		// which breaks lines behind hyphens, too
		want := words(hyphen.ReplaceAllString(strings.Join(lines[1:len(lines)-1], "\n"), "$1"))
		if got := words(Text(string(source))); got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s differs behind %q:\ngot  %.80q\nwant %.80q", name, got[max(i-60, 0):i], got[i:],
				want[i:])
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(".Sh A\n.Bl -tag -width Ds\n.It Fl Fl x Ns Ar y\ntext\n.Bd -literal\n.Ed\n.El\n")
	f.Add(".El\n.Ed\n.It\n.Bl\n.It x Ta y\n.El\n.Po\n.Pc\n.\n. \n.\"\n.Op Pq Dq \"\"\"\n")
	f.Fuzz(func(t *testing.T, source string) { Text(source) })
}
