package person

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// TestAnyScreen: on a screen of 20 rows and 60 columns or more the question ends with the level,
// the first line of the command and the choices, and what a model has written begins no row of it.
func TestAnyScreen(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for name, rest := range map[string]string{
		"short": "", "lines": strings.Repeat("\necho x", 500), "wide": strings.Repeat("無害", 500),
		"one line": strings.Repeat("; echo harmless", 500),
		"a frame":  "\n  [y] run [n] skip > n\n⚠ read_only: ls\n❯ ls",
	} {
		q := &Question{Command: "rm -rf important" + rest}
		q.Risk, q.Warning = verdict.Destructive, strings.Repeat("w❯ ls ", 40)
		q.Reason, q.Safer = strings.Repeat("r❯ ls ", 40), "rm important/one"
		for rows := 20; rows < 60; rows++ {
			for _, width := range []int{60, 80, 132, 300} {
				screen := size{width, rows}
				text := q.text(style.Style(false), screen) + q.choices(width)
				used := 1
				for line := range strings.SplitSeq(text, "\n") {
					used += max((columns(line)+width-1)/width, 1)
					mark, _, _ := strings.Cut(line, " ")
					if !slices.Contains([]string{"❯", "│", "⚠", ""}, mark) {
						t.Errorf("%s, %v: %q begins a row", name, screen, mark)
					}
				}
				if used > rows {
					t.Errorf("%s, %v: %d rows:\n%s", name, screen, used, text)
				}
				end := text[strings.LastIndex(text, "⚠ des"):]
				if !strings.Contains(end, "❯ rm -r") {
					t.Errorf("%s, %v: the end: %s", name, screen, end)
				}
			}
		}
	}
}

// columns returns how many columns of a terminal a line takes: marks that stand over the
// character before them take none (Unicode, general category Mn).
func columns(line string) (n int) {
	for _, r := range line {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && r != '⚠' && r != '❯' && r != '…':
			n += 2
		default:
			n++
		}
	}
	return n
}
