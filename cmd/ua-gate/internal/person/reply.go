package person

import (
	"cmp"
	"fmt"
	"strings"

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
