package style

import (
	"strings"
	"testing"
)

func TestMark(t *testing.T) {
	const marks = "❯ ls │ ▐ read_only ⚠ ▶ ✓ ✗ → 4k↑ 2↓ ── … ·"
	for _, c := range []struct {
		all, ctype, lang, term string
		ascii                  bool
	}{
		{"", "", "", "", false},
		{"", "", "C.UTF-8", "xterm", false},
		{"C", "", "en_US.UTF-8", "xterm", true},
		{"POSIX", "", "", "xterm", true},
		{"", "C", "de_DE.UTF-8", "xterm", true},
		{"C.UTF-8", "C", "C", "xterm", false},
		{"", "", "C", "xterm", true},
		{"", "", "de_DE.ISO-8859-1", "xterm", true},
		{"", "", "C.UTF-8", "dumb", true},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_CTYPE", c.ctype)
		t.Setenv("LANG", c.lang)
		t.Setenv("TERM", c.term)
		got := Mark(marks) + Style(false).Risk("write") + FirstLine("a\nb", 10)
		if ascii := strings.Trim(got, "\n") == strings.Map(func(r rune) rune {
			if r > 0x7e {
				return -1
			}
			return r
		}, got); ascii != c.ascii {
			t.Errorf("%+v: %s", c, got)
		}
		if c.ascii != strings.Contains(got, "[write]") || c.ascii != !strings.Contains(got, "▐ write") {
			t.Errorf("%+v: %s", c, got) // a bar of ASCII would read as a pipe
		}
	}
}
