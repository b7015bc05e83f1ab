package person

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A choice is an answer that a person may type.
type choice struct {
	key, word   string // what is typed, and the reply that it is
	short, help string // what it does, in the line of choices and in the help
}

// answers returns the choices that a person has.
func (q *Question) answers() (list []choice) {
	add := func(there bool, key, word, short, help string) {
		if there {
			list = append(list, choice{key, word, short, help})
		}
	}
	whole, kinds, why := q.Word, q.Kinds, "nobody has read what it fetches"
	if q.Risk >= verdict.Privileged {
		why = "it leaves the sandbox"
	}
	add(!whole, "y", "allow", "[y] run", "run it")
	add(whole, "yes", "yes", `type "yes" to run,`, "run it: "+why+", so the whole word is needed")
	add(true, "n", "deny", "[n] skip",
		"do not run it\n  #WORDS    do not run it, and tell the model the words")
	add(!whole && kinds != nil, "a", "session", "[a] allow "+listed(kinds)+" for the session",
		"run it, and from now on without asking "+style.OneLine(strings.Join(kinds, ", "), 300))
	add(!whole && len(q.Grant.Host) > 0, "h", "host", "[h] allow "+listed(q.Grant.Host)+
		" for the run", "run it, and let all commands of this run reach "+listed(q.Grant.Host))
	add(q.Safer != "", "s", "edit", "[s] the safer one",
		"take the safer command; it is judged again")
	add(true, "e", "edit", "[e] edit",
		"edit the command in $VISUAL, $EDITOR or vi; it is judged again")
	add(true, "v", "view", "[v] view", "view the whole command")
	add(true, "q", "quit", "[q] quit", "do not run it, and end the run")
	add(true, "?", "help", "[?] help", "")
	return list
}

// choices returns the choices in a line, or in two.
func (q *Question) choices(columns int) string {
	line := " "
	for _, c := range q.answers() {
		line += " " + c.short
	}
	if line += " > "; len(line) > columns {
		line = strings.Replace(line, " [e]", "\n  [e]", 1)
	}
	return line
}

// listed returns the first three names, and how many more there are.
func listed(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", more))
	}
	return style.OneLine(strings.Join(names, ", "), 60)
}

// help returns what each answer does.
func (q *Question) help() string {
	var b strings.Builder
	for _, c := range q.answers() {
		if c.help != "" {
			fmt.Fprintf(&b, "  %-10s%s\n", c.key, c.help)
		}
	}
	return b.String()
}

// parseReply reads a typed line. Its word is "help" for ?, and "" if it is no answer. What
// follows # is for the model, and what follows n too.
func (q *Question) parseReply(line string) Reply {
	if words, ok := strings.CutPrefix(line, "#"); ok {
		return Reply{Word: "deny", Reason: strings.TrimSpace(words)}
	}
	key, rest, more := strings.Cut(line, " ")
	switch key = strings.ToLower(key); {
	case key == "n" || key == "no":
		return Reply{Word: "deny", Reason: strings.TrimSpace(rest)}
	case more: // a line that was meant for something else
		return Reply{}
	case key == "yes":
		return Reply{Word: "yes"}
	}
	for _, c := range q.answers() {
		switch {
		case c.key == key && key == "s": // an edit, so the gate judges it like one
			return Reply{Word: c.word, Command: q.Safer}
		case c.key == key:
			return Reply{Word: c.word}
		}
	}
	return Reply{}
}

// noReply says that a line is no answer.
func (q *Question) noReply(line string) string {
	if q.Word && strings.EqualFold(line, "y") {
		return "  To run it, type the whole word \"yes\".\n"
	}
	line = cmp.Or(style.OneLine(line, 60), "Enter")
	return fmt.Sprintf("  %s is not an answer; ? lists them.\n", line)
}

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
