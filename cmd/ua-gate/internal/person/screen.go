package person

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
)

// A size is the size of a screen in characters.
type size struct{ columns, rows int }

// sizeOf returns the terminal's size, or that of a VT100 if the terminal does not tell.
func sizeOf(tty *os.File) size {
	ws, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Col == 0 || ws.Row == 0 {
		return size{80, 24}
	}
	// In fewer columns no wide character fits beside the marks.
	return size{max(int(ws.Col), 12), int(ws.Row)}
}

// text returns the question for a person: level and reason, and then the command. The middle of
// a command that does not fit is folded, and level, reason and the first line are repeated below
// it, so that no command hides what is asked. After v it is shown whole.
func (q *Question) text(on style.Style, screen size) string {
	head, lines := q.head(on, screen.columns), q.lines(screen.columns)
	room := screen.rows - 3 - strings.Count(q.choices(screen.columns), "\n") - len(head)
	text := head
	if len(lines) > room && !q.whole {
		room = max(room-len(head)-2, 2)
		first, last := lines[:room-room/3], lines[len(lines)-room/3:]
		fold := fmt.Sprintf("  … %d lines are not shown: v shows all %d bytes",
			len(lines)-len(first)-len(last), len(q.Command))
		again := append(head, lines[0]+style.Mark(" …"))
		lines = slices.Concat(first, []string{style.Mark(fold)}, last, again)
	}
	return strings.Join(append(text, lines...), "\n") + "\n"
}

// head returns the lines with the level, the reason, and what the judge says.
func (q *Question) head(on style.Style, columns int) (lines []string) {
	add := func(colour func(string) string, mark, text string) {
		for _, line := range style.Lines(mark+style.OneLine(text, 2*columns), columns-2) {
			lines = append(lines, colour(line))
		}
	}
	add(on.Yellow, style.Mark("⚠ ")+q.Risk.String()+": ", q.Reason)
	if q.Opens != "" {
		add(on.Dim, "  ", q.Opens)
	}
	if q.Warning != "" {
		add(on.Red, style.Mark("⚠ "), q.Warning)
	}
	if q.Safer != "" {
		add(on.Dim, "  safer: ", q.Safer)
	}
	return lines
}

// lines returns the lines that the command takes on a screen of that width. Each has a
// mark before it that no other line of the question has.
func (q *Question) lines(columns int) (lines []string) {
	mark := style.Mark("❯ ")
	text := style.Visible(strings.ReplaceAll(q.Command, "\t", "    "))
	for line := range strings.SplitSeq(text, "\n") {
		for {
			n := style.Fitting(line, columns-6) // the mark, and dots behind
			lines = append(lines, mark+line[:n])
			mark = style.Mark("│ ")
			if line = line[n:]; line == "" {
				break
			}
		}
	}
	return lines
}
