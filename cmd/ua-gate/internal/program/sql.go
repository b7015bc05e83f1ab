package program

import (
	"slices"
	"strings"
	"unicode"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
)

// hiddenSQL finds what reads or writes files, loads code or talks to other machines by way of a
// statement, in small letters.
var hiddenSQL = match.Regex{Text: `load_extension|writefile|readfile|edit\(|` +
	`into (?:out|dump)file|` +
	`load data|load_file|pg_read_file|lo_(?:ex|im)port|xp_cmdshell|pg_execute|sys_exec|` +
	`executable\(|into (?:table )?function file|\bcopy\b.*(?:program|\bto\b)|` +
	`vacuum into|\battach\b.*/|` +
	`export database|\b(?:url|s3|remote|remotesecure|mysql|postgresql|mongodb)\(|` +
	`['"](?:https?|s3|gs|az)://|install httpfs`}

// databaseCommand is a command of a database's shell that only shows something.
var databaseCommand = match.Regex{Text: `^(?:\.(?:tables|schema|headers?|mode|databases|` +
	`dbinfo|index|indexes|indices|help|show|quit|exit|width|separator|nullvalue|timer|stats|` +
	`dump|fullschema|eqp|explain|bail|echo|` +
	`changes|print|version|timeout|limit|lint|param|parameter|sha3sum|expert)\b` +
	`|\\(?:d\w*\+?|l\+?|x|q|z|s|h|\?|conninfo|timing|pset)(?:\s|$))[^|` + "`" + `]*$`}

// readSQL reads what a database shell is given: statements by their first word, and the shell's
// own commands, which begin with a dot or a backslash.
func readSQL(a *argv, label, text string) {
	low := strings.ToLower(text)
	if hiddenSQL.Match(strings.Join(strings.Fields(low), " ")) {
		a.p.AddHidden(label,
			a.name+" may read or write files, or run code, by a statement")
	}
	a.readsInside(shell.Lit(text))
	open := "" // a statement that has begun in an earlier line
	for line := range strings.Lines(low) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "--"):
			continue
		case open == "" && line[0] == '.' || line[0] == '\\' || strings.Contains(line, `\!`):
			if !databaseCommand.Match(line) {
				a.p.AddHidden(label, a.name+": "+match.Show(
					line)+" reads or writes files, or runs programs")
			}
			continue
		}
		// A statement ends at its semicolon, which may stand in a later line.
		parts := strings.Split(open+" "+line, ";")
		for _, part := range parts[:len(parts)-1] {
			a.statement(label, strings.TrimSpace(part))
		}
		open = strings.TrimSpace(parts[len(parts)-1])
	}
	a.statement(label, open)
}

// Words that begin statements which read, and which change data.
const (
	readingSQL = " select with values table explain describe desc show analyze help use begin " +
		"commit rollback end start savepoint release reindex pragma set attach detach "
	changingSQL = " insert update delete drop truncate create alter merge replace into "
	addingSQL   = " insert update alter create replace merge upsert comment grant vacuum copy "
)

// statement judges one statement, in small letters. A query or a setting that has the word of a
// change is one.
func (a *argv) statement(label, line string) {
	if line == "" {
		return
	}
	line = withoutLiterals(line)
	words := strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	word := ""
	if len(words) > 0 {
		word = words[0]
	}
	changes := slices.ContainsFunc(words, func(w string) bool { return match.InList(changingSQL, w) })
	switch {
	case match.InList(readingSQL, word) && !changes && !match.InAny(" global persist ", words) &&
		(word != "pragma" || !strings.Contains(line, "=")):
	case match.InList(addingSQL, word) && (word != "update" || slices.Contains(words, "where")) &&
		(word != "alter" || !slices.Contains(words, "drop")), word == "pragma":
		a.p.Add(judgement.WritesHere, label, a.name+": the statement changes data")
	default:
		a.p.Add(judgement.LosesFiles, label, a.name+": the statement may delete data")
	}
}

// withoutLiterals empties the strings and the quoted names in a statement: what stands in
// them is data. Where comments, escapes or dollar quotes may hide where a string ends, the
// statement is left as it is, as one is whose last string does not end.
func withoutLiterals(line string) string {
	if strings.ContainsAny(line, `\$#`) || strings.Contains(line, "--") ||
		strings.Contains(line, "/*") {
		return line
	}
	if short := literalSQL.Replace(line, " "); !strings.ContainsAny(short, "'\"`") {
		return short
	}
	return line
}

// literalSQL finds a string or a quoted name.
var literalSQL = match.Regex{Text: "'[^']*'|\"[^\"]*\"|`[^`]*`"}
