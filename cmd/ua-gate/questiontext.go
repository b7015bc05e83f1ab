package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// choices returns the choices that a person has, in lines that fit. On a small screen it names
// only the keys.
func (q *question) choices(screen size) string {
	long := q.allChoices()
	if len(long) <= screen.columns {
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
	keys := "y/n/"
	if q.needsYes() {
		keys = "yes/n/"
	} else if q.kinds() != nil {
		keys += "a/"
	}
	if q.hosts() {
		keys += "h/"
	}
	if q.Safer != "" {
		keys += "s/"
	}
	return "  [" + keys + "e/v/q/?] > "
}

// allChoices returns what each key does, in a few words.
func (q *question) allChoices() string {
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
	if q.hosts() {
		session += " [h] allow " + listed(q.Grant.Host) + " for the run"
	}
	return "  [y] run [n] skip" + session + safer + " [e] edit [v] view [q] quit [?] help > "
}

// hosts reports whether the answer h is there: the question is about hosts.
func (q *question) hosts() bool { return len(q.Grant.Host) > 0 && !q.needsYes() }

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
	if q.hosts() {
		session += "  h         run it, and let all commands of this run reach:\n            " +
			listed(q.Grant.Host) + "\n"
	}
	if q.Safer != "" {
		session += "  s         take the safer command; it is judged again\n"
	}
	return run + "  n         do not run it\n" +
		"  #WORDS    do not run it, and tell the model the words\n" + session +
		"  e         edit the command in $VISUAL, $EDITOR or vi; it is judged again\n" +
		"  v         view the whole command, in $PAGER if it is long\n" +
		"  q         do not run it, and end the run\n"
}

// parseReply reads a typed line. Its word is "help" for ?, and "" if it is no answer. What
// follows # is for the model, and what follows n too.
func (q *question) parseReply(line string) reply {
	if words, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
		return reply{word: "deny", reason: strings.TrimSpace(words)}
	}
	word, rest, more := strings.Cut(strings.TrimSpace(line), " ")
	word = strings.ToLower(word)
	if more && word != "n" && word != "no" {
		return reply{} // a line that was meant for something else
	}
	switch word {
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
	case "h":
		if q.hosts() {
			return reply{word: "host"}
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
	case "?":
		return reply{word: "help"}
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
