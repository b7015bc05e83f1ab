package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// A choice is an answer that a person may type.
type choice struct {
	key, word   string // what is typed, and the reply that it is
	short, help string // what it does, in the line of choices and in the help
}

// answers returns the choices that a person has.
func (q *question) answers() (list []choice) {
	const below = ":\n            "
	add := func(there bool, key, word, short, help string) {
		if there {
			list = append(list, choice{key, word, short, help})
		}
	}
	whole, kinds, why := q.needsYes(), q.kinds(), "nobody has read what it fetches"
	if q.Risk >= verdict.Privileged {
		why = "it leaves the sandbox"
	}
	add(!whole, "y", "allow", "[y] run", "run it")
	add(whole, "yes", "yes", `type "yes" to run,`, "run it: "+why+", so the whole word is needed")
	add(true, "n", "deny", "[n] skip",
		"do not run it\n  #WORDS    do not run it, and tell the model the words")
	add(!whole && kinds != nil, "a", "session", "[a] allow "+listed(kinds)+" for the session",
		"run it, and these kinds of command from now on without asking"+below+
			oneLine(strings.Join(kinds, ", "), 300))
	add(!whole && len(q.Grant.Host) > 0, "h", "host",
		"[h] allow "+listed(q.Grant.Host)+" for the run",
		"run it, and let all commands of this run reach"+below+listed(q.Grant.Host))
	add(q.Safer != "", "s", "edit", "[s] the safer one",
		"take the safer command; it is judged again")
	add(true, "e", "edit", "[e] edit",
		"edit the command in $VISUAL, $EDITOR or vi; it is judged again")
	add(true, "v", "view", "[v] view", "view the whole command, in $PAGER if it is long")
	add(true, "q", "quit", "[q] quit", "do not run it, and end the run")
	add(true, "?", "help", "[?] help", "")
	return list
}

// choices returns the choices in lines that fit. On a small screen it names only the keys.
func (q *question) choices(screen size) string {
	long, keys := " ", ""
	for _, c := range q.answers() {
		long, keys = long+" "+c.short, keys+"/"+c.key
	}
	if long += " > "; len(long) <= screen.columns {
		return long
	}
	first, last, _ := strings.Cut(long, " [e]")
	lines := []string{first, "  [e]" + last}
	if run, more, ok := strings.Cut(first, " [a]"); ok && len(first) > screen.columns {
		lines = []string{run, "  [a]" + more, lines[1]}
	}
	tooLong := func(line string) bool { return len(line) > screen.columns }
	if screen.rows >= 4*len(lines) && !slices.ContainsFunc(lines, tooLong) {
		return strings.Join(lines, "\n")
	}
	return "  [" + keys[1:] + "] > "
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
func (q *question) parseReply(line string) reply {
	if words, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
		return reply{word: "deny", reason: strings.TrimSpace(words)}
	}
	key, rest, more := strings.Cut(strings.TrimSpace(line), " ")
	switch key = strings.ToLower(key); {
	case key == "n" || key == "no":
		return reply{word: "deny", reason: strings.TrimSpace(rest)}
	case more: // a line that was meant for something else
		return reply{}
	case key == "yes":
		return reply{word: "yes"}
	}
	for _, c := range q.answers() {
		switch {
		case c.key == key && key == "s": // an edit, so the gate judges it like one
			return reply{word: c.word, command: q.Safer}
		case c.key == key:
			return reply{word: c.word}
		}
	}
	return reply{}
}

// noReply says that a line is no answer.
func (q *question) noReply(line string) string {
	if q.needsYes() && strings.EqualFold(line, "y") {
		return "  To run it, type the whole word \"yes\".\n"
	}
	return fmt.Sprintf("  %s is not an answer; ? lists them.\n", cmp.Or(oneLine(line, 60), "Enter"))
}
