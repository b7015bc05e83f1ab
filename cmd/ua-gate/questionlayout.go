package main

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

// smallScreen is below how many rows a question has one row for each thing that it says.
const smallScreen = 16

// text returns the question for a person: level and reason, and then the command. With
// the choices it never fills the screen. The middle of a long command is folded, and
// level, reason and the first line are repeated below it; a small screen shows only those.
func (q *question) text(on style.Style, screen size) string {
	head, lines := q.head(on, screen), q.lines(screen.columns)
	room := screen.rows - 2 - strings.Count(q.choices(screen), "\n") // 1 is free above
	if len(head)+len(lines) <= room {
		return asText(head, bold(on, lines))
	}
	start := append(head, on.Bold(lines[0])+on.Dim(style.Mark(" …")))
	room -= 2*len(head) + 2 // the fold, and the first line again
	if room < 3 {
		return asText(q.fold(on, screen, len(lines)-1), start)
	}
	first, last := lines[:room-room/3], lines[len(lines)-room/3:]
	return asText(head, bold(on, first), q.fold(on, screen, len(lines)-len(first)-len(last)),
		bold(on, last), start)
}

// asText returns lines as one text.
func asText(lines ...[]string) string { return strings.Join(slices.Concat(lines...), "\n") + "\n" }

// bold returns each line in bold type.
func bold(on style.Style, lines []string) (out []string) {
	for _, line := range lines {
		out = append(out, on.Bold(line))
	}
	return out
}

// fold returns the line that says how many lines are not shown.
func (q *question) fold(on style.Style, screen size, lines int) []string {
	text := fmt.Sprintf("  … %d lines are not shown: v shows all %d bytes", lines, len(q.current()))
	if len(text) > screen.columns {
		text = fmt.Sprintf("  … %d lines: v", lines)
	}
	return []string{on.Dim(style.Mark(text))}
}

// head returns the lines with the level, the reason, and what the judge says.
func (q *question) head(on style.Style, screen size) (lines []string) {
	add := func(colour func(string) string, mark, text string) {
		limit := 2 * screen.columns
		if screen.rows < smallScreen {
			limit = max(screen.columns-8-len(mark), 0)
		}
		for _, line := range style.Lines(mark+oneLine(text, limit), screen.columns-2) {
			lines = append(lines, colour(line))
		}
	}
	add(on.Yellow, style.Mark("⚠ ")+q.Risk.String()+": ", q.Reason)
	if opens := lets(q.Grant); opens != "" {
		add(on.Dim, "  ", opens)
	}
	if q.warning != "" {
		add(on.Red, style.Mark("⚠ "), q.warning)
	}
	if q.Safer != "" && screen.rows >= smallScreen {
		add(on.Dim, "  safer: ", q.Safer)
	}
	return lines
}

// lines returns the lines that the command takes on a screen of that width. Each has a
// mark before it that no other line of the question has.
func (q *question) lines(columns int) (lines []string) {
	mark := style.Mark("❯ ")
	text := style.Visible(strings.ReplaceAll(q.current(), "\t", "    "))
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

// oneLine returns text as one line of at most limit bytes that is safe on a terminal.
func oneLine(text string, limit int) string {
	return cut(style.Visible(strings.ReplaceAll(text, "\n", style.Mark("⏎"))), limit)
}
