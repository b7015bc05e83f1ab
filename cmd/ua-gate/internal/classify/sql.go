package classify

import (
	"slices"
	"strings"
	"unicode"

	"ua/internal/common/verdict"
)

// readSQL reads what a database shell is given: statements by their first word,
// and the shell's own commands, which begin with a dot or a backslash.
func readSQL(a *argv, text string) (level verdict.Level, why string) {
	raise := func(l verdict.Level, w string) {
		if l > level {
			level, why = l, w
		}
	}
	low := strings.ToLower(text)
	for _, bad := range []string{"load_extension", "writefile", "readfile", "edit(", "into outfile",
		"into dumpfile", "load data", "load_file", "pg_read_file", "lo_export", "lo_import",
		"xp_cmdshell", "pg_execute", "sys_exec", "executable(", "into function file",
		"into table function file"} {
		if strings.Contains(low, bad) {
			raise(destructive, "the statement reads or writes files, or loads code")
		}
	}
	// COPY … TO writes a file, and with PROGRAM it runs a command.
	switch to := copiesTo.all(low); {
	case !strings.Contains(low, "copy ") || !strings.Contains(low, "program") &&
		!strings.Contains(low, " to '"):
	case strings.Contains(low, "program") || a == nil || !strings.HasPrefix(a.name, "duckdb") ||
		len(to) == 0:
		raise(destructive, "COPY runs a program or writes a file")
	default:
		raise(write, "COPY writes a file")
		for _, m := range to {
			a.w.write(a.p, lit(m[1]), a.sc)
			a.w.overwrites(a.p, lit(m[1]), a.sc)
		}
	}
	for _, far := range []string{" url(", " s3(", " remote(", " remotesecure(", " mysql(",
		" postgresql(", " mongodb(", "'https://", "'http://",
		"'s3://", "'gs://", "'az://", "\"https://", "install httpfs"} {
		if strings.Contains(low, far) {
			raise(network, "the statement talks to other machines")
		}
	}
	open := "" // a statement that has begun in an earlier line
	for line := range strings.Lines(low) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "--"):
			continue
		case open == "" && strings.HasPrefix(line, ".import ") && a != nil:
			raise(a.imports(text, line))
			continue
		case open == "" && line[0] == '.':
			raise(sqliteDot(line))
			continue
		case line[0] == '\\' || strings.Contains(line, `\!`):
			raise(backslash(line))
			continue
		}
		// A statement ends at its semicolon, which may stand in a later line.
		parts := strings.Split(open+" "+line, ";")
		for _, part := range parts[:len(parts)-1] {
			raise(statement(strings.TrimSpace(part)))
		}
		open = strings.TrimSpace(parts[len(parts)-1])
	}
	raise(statement(open))
	if a != nil && a.row.level <= write {
		makes := strings.Contains(low, "vacuum into") || strings.Contains(low, "attach ") &&
			level > readOnly ||
			strings.Contains(low, "export ")
		// Every second part was in quotes: it may be the name of a file.
		for i, part := range strings.FieldsFunc(text, func(r rune) bool {
			return r == '\'' ||
				r == '"'
		}) {
			if i%2 == 1 && strings.ContainsAny(part, "/.~") {
				a.reads(lit(part))
				if makes {
					a.w.write(a.p, lit(part), a.sc)
					a.w.overwrites(a.p, lit(part), a.sc)
				}
			}
		}
	}
	return level, why
}

// database is the rule for the file of a database that statements change.
func (a *argv) database() {
	if file := first(a.operands, ""); a.p.Level == write && !a.flagged("-readonly") {
		file.text, _, _ = strings.Cut(strings.TrimPrefix(file.text, "file:"), "?")
		a.w.overwrites(a.p, file, a.sc)
	}
}

// statement returns the level of one statement, in small letters, by its first word.
func statement(line string) (verdict.Level, string) {
	if line == "" {
		return readOnly, ""
	}
	if line[0] == '\\' || line[0] == '.' {
		return destructive, "a command of the shell of the database behind a statement"
	}
	line = withoutLiterals(line)
	words := strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	word := ""
	if len(words) > 0 {
		word = words[0]
	}
	switch word {
	case "select", "with", "values", "table":
		for _, verb := range []string{"insert", "update", "delete", "drop", "into", "truncate"} {
			if slices.Contains(words, verb) {
				return destructive, "a query that changes data"
			}
		}
		return readOnly, ""
	case "explain":
		// EXPLAIN ANALYZE runs the statement (PostgreSQL, EXPLAIN; MySQL, "EXPLAIN ANALYZE").
		if at := strings.Index(line, "analyze"); at > 0 && slices.ContainsFunc(words, isChange) {
			return destructive, "EXPLAIN ANALYZE runs a statement that changes data"
		}
		return readOnly, ""
	case "pragma":
		if strings.Contains(line, "=") {
			return write, "the pragma sets something in the database"
		}
		return readOnly, ""
	case "set":
		if slices.Contains(words, "global") || slices.Contains(words, "persist") {
			return destructive, "the statement sets up the whole server"
		}
		return readOnly, ""
	case "describe", "desc", "show", "analyze", "help", "use", "begin", "attach", "detach",
		"commit", "rollback", "end", "start", "savepoint", "release", "reindex":
		return readOnly, ""
	case "update", "alter":
		if word == "update" && !slices.Contains(words, "where") || word == "alter" &&
			slices.Contains(words, "drop") {
			return destructive, "the statement loses data"
		}
		return write, "the statement changes data"
	case "insert", "create", "replace", "merge", "upsert", "comment", "grant",
		"vacuum", "copy":
		return write, "the statement changes data"
	}
	return destructive, "the statement may delete data"
}

// isChange reports whether the word begins what changes data.
func isChange(word string) bool {
	switch word {
	case "insert", "update", "delete", "drop", "truncate", "create", "alter", "merge", "replace":
		return true
	}
	return false
}

// withoutLiterals empties the strings and the quoted names in a statement: what stands in
// them is data. Where comments, escapes or dollar quotes may hide where a string ends, the
// statement is left as it is, as one is whose last string does not end.
func withoutLiterals(line string) string {
	for _, hides := range []string{`\`, "$", "--", "/*", "#"} {
		if strings.Contains(line, hides) {
			return line
		}
	}
	var b strings.Builder
	rest := line
	for {
		start := strings.IndexAny(rest, "'\"`")
		if start < 0 {
			return b.String() + rest
		}
		end := strings.IndexByte(rest[start+1:], rest[start])
		if end < 0 {
			return line
		}
		b.WriteString(rest[:start] + " ")
		rest = rest[start+1+end+1:]
	}
}

func sqliteDot(line string) (verdict.Level, string) {
	word, _, _ := strings.Cut(line[1:], " ")
	switch word {
	case "tables", "schema", "headers", "header", "mode", "databases", "dbinfo", "indexes",
		"indices", "help", "show", "quit", "exit", "width", "separator", "nullvalue", "timer", "stats",
		"dump", "fullschema", "eqp", "explain", "bail", "echo", "changes", "print", "version",
		"timeout", "limit", "nullvalues", "lint", "parameter", "param", "sha3sum", "vfsinfo", "expert",
		"breakpoint":
		return readOnly, ""
	}
	return destructive, "." + word + " reads or writes files, or runs programs"
}

// imports is .import FILE TABLE of sqlite3: it reads a file and writes a table, which in
// memory is nobody's. A file that begins with a bar is a command.
func (a *argv) imports(text, line string) (verdict.Level, string) {
	i := strings.Index(strings.ToLower(text), line)
	if i < 0 || strings.Contains(line, "|") {
		return destructive, ".import may run a program"
	}
	for _, word := range strings.Fields(text[i+len(".import") : i+len(line)]) {
		if !strings.HasPrefix(word, "-") {
			a.reads(lit(strings.Trim(word, `'"`)))
			break
		}
	}
	if db := first(a.operands, ":memory:").text; db == ":memory:" || db == "" {
		return readOnly, ""
	}
	return write, ".import writes a table"
}

func backslash(line string) (verdict.Level, string) {
	word, _, _ := strings.Cut(line, " ")
	if strings.HasPrefix(word, `\d`) || strings.HasPrefix(word, `\l`) &&
		!strings.HasPrefix(word, `\lo`) || word == `\x` || word == `\q` || word == `\conninfo` ||
		word == `\timing` || word == `\z` || word == `\s` || word == `\h` || word == `\?` ||
		word == `\pset` {
		return readOnly, ""
	}
	return destructive, word + " reads or writes files, or runs programs"
}

// copiesTo finds the file that a COPY of DuckDB writes.
var copiesTo = regex{text: ` to '([^']*)'`}
