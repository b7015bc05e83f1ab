package main

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A size is the size of a screen in characters.
type size struct{ columns, rows int }

// sizeOf returns the terminal's size, or that of a VT100 if the terminal does not tell.
func sizeOf(tty *os.File) size {
	ws, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Col < 20 || ws.Row < 10 {
		return size{80, 24}
	}
	return size{int(ws.Col), int(ws.Row)}
}

// text returns the question for a person: level and reason, and then the command. It
// never fills the screen. The middle of a long command is folded, and level, reason and
// the first line are repeated below it.
func (q *question) text(on style.Style, screen size) string {
	head := on.Yellow(style.Mark("⚠ ")+q.Risk.String()+": "+oneLine(q.Reason, 2*screen.columns)) +
		"\n"
	if q.warning != "" {
		head += on.Red(style.Mark("⚠ ")+oneLine(q.warning, 2*screen.columns)) + "\n"
	}
	if q.Safer != "" {
		head += on.Dim("  safer: "+oneLine(q.Safer, 2*screen.columns)) + "\n"
	}
	lines := q.lines(screen.columns)
	room := screen.rows - 14 // for head twice, the choices and the line before
	if len(lines) <= room {
		return head + on.Bold(strings.Join(lines, "\n")) + "\n"
	}
	first, last := lines[:room-room/3-1], lines[len(lines)-room/3:]
	folded := fmt.Sprintf(style.Mark("  … %d lines are not shown: v shows all %d bytes"),
		len(lines)-len(first)-len(last), len(q.current()))
	return head + on.Bold(strings.Join(first, "\n")) + "\n" + on.Dim(folded) + "\n" +
		on.Bold(strings.Join(last, "\n")) + "\n" + head + on.Bold(lines[0]) +
		on.Dim(style.Mark(" …")) +
		"\n"
}

// lines returns the lines that the command takes on a screen of that width.
func (q *question) lines(columns int) (lines []string) {
	mark := style.Mark("❯ ")
	text := visible(strings.ReplaceAll(q.current(), "\t", "    "))
	for line := range strings.SplitSeq(text, "\n") {
		for {
			n := fitting(line, columns-6) // the mark, and dots behind
			lines = append(lines, mark+line[:n])
			mark = "  "
			if line = line[n:]; line == "" {
				break
			}
		}
	}
	return lines
}

// fitting returns how many bytes of a line fit into that many columns. A character that
// may be two columns wide counts as two; those begin at U+1100 (Unicode Standard Annex
// 11).
func fitting(line string, columns int) int {
	for i, r := range line {
		if columns--; r >= 0x1100 {
			columns--
		}
		if columns < 0 {
			return i
		}
	}
	return len(line)
}

// oneLine returns text as one line of at most limit bytes that is safe on a terminal.
func oneLine(text string, limit int) string {
	return cut(visible(strings.ReplaceAll(text, "\n", style.Mark("⏎"))), limit)
}

// choices returns the line with the choices that a person has.
func (q *question) choices() string {
	safer := ""
	if q.Safer != "" {
		safer = " [s] the safer one"
	}
	if q.needsYes() {
		return `  type "yes" to run, [n] skip` + safer + ` [e] edit [v] view [q] quit [?] help > `
	}
	session := ""
	if kinds := q.kinds(); kinds != nil {
		session = " [a] allow " + listed(kinds) + " for the session"
	}
	return "  [y] run [n] skip" + session + safer + " [e] edit [v] view [q] quit [?] help > "
}

// listed returns the first three names, and how many more there are.
func listed(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", more))
	}
	return oneLine(strings.Join(names, ", "), 60)
}

// help returns what each answer does.
func (q *question) help() string {
	run, session := "  y         run it\n", ""
	if q.Risk >= verdict.Privileged {
		run = "  yes       run it: it leaves the sandbox, so the whole word is needed\n"
	} else if q.needsYes() {
		run = "  yes       run it: nobody has read what it fetches, so the whole word is needed\n"
	} else if kinds := q.kinds(); kinds != nil {
		session = "  a         run it, and these kinds of command from now on without asking:\n" +
			"            " + oneLine(strings.Join(kinds, ", "), 300) + "\n"
	}
	if q.Safer != "" {
		session += "  s         take the safer command; it is judged again\n"
	}
	return run + "  n WORDS   do not run it; the words, if any, are told to the model\n" + session +
		"  e         edit the command in $VISUAL, $EDITOR or vi; it is judged again\n" +
		"  v         view the whole command in $PAGER or less\n" +
		"  q         do not run it, and end the run\n"
}

// parseReply reads a typed line. Its word is "help" if it is no answer. What follows "n"
// is for the model.
func (q *question) parseReply(line string) reply {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch strings.ToLower(word) {
	case "yes":
		return reply{word: "yes"}
	case "y":
		if !q.needsYes() {
			return reply{word: "allow"}
		}
	case "a":
		if !q.needsYes() && q.kinds() != nil {
			return reply{word: "session"}
		}
	case "n", "no":
		return reply{word: "deny", reason: strings.TrimSpace(rest)}
	// The safer command is an edit, so the gate judges it like one.
	case "s":
		if q.Safer != "" {
			return reply{word: "edit", command: q.Safer}
		}
	case "e":
		return reply{word: "edit"}
	case "v":
		return reply{word: "view"}
	case "q":
		return reply{word: "quit"}
	}
	return reply{word: "help"}
}

// visible returns text that cannot deceive on a terminal. Characters that are not
// printable, including those that change the writing direction, are shown as codes.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}
