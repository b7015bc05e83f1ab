package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// raise lifts the part to the level, with the reason, if it is below. A fact
// from beside the program (a path, a variable, a pipe) is never hidden by what
// the program itself is: then it becomes a part of its own, without words.
func (p *Part) raise(level verdict.Level, row, reason string) { p.raiseBy(level, row, reason, "") }

// raiseBy is raise by a fact about a path.
func (p *Part) raiseBy(level verdict.Level, row, reason, path string) {
	fact := level >= destructive && beside(row)
	switch {
	case level > p.Level || p.Row == "" || level == p.Level && fact && !beside(p.Row):
		if p.Level >= destructive && beside(p.Row) {
			p.Parts = append(p.Parts, Part{Level: p.Level, Row: p.Row, Reason: p.Reason,
				Path: p.Path})
		}
		p.Level, p.Row, p.Reason, p.Path = level, row, reason, path
	case fact && row != p.Row:
		p.Parts = append(p.Parts, Part{Level: level, Row: row, Reason: reason, Path: path})
	}
}

// beside reports whether the row is a fact beside the program.
func beside(row string) bool {
	fact, _, found := strings.Cut(row, ":")
	return found && (fact == "path" || fact == "env" || fact == "pipe" || fact == "word" ||
		fact == "limit")
}
