package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/code"
)

// A written is a file that the command writes, and what is known of it.
type written struct {
	file  string
	text  string
	known bool // text is all that is in it
	sure  bool // the command has made it anew
	from  flow // what is in it carries this
}

// maxWritten bounds how many files that a command writes are remembered.
const maxWritten = 200

// wroteFile notes that the command has written a file.
func (w *machine) wroteFile(path string, sc *scope) {
	if len(w.written) >= maxWritten {
		w.simple = MaxSimple + 1
		return
	}
	w.written = append(w.written, written{file: w.at(path, sc).abs})
}

// writtenAt returns what the command has last written to the place, or nil.
func (w *machine) writtenAt(file word, sc *scope) *written {
	if len(w.written) == 0 || file.text == "" {
		return nil
	}
	at := w.at(file.text, sc).abs
	for i := len(w.written) - 1; i >= 0; i-- {
		if w.written[i].file == at {
			return &w.written[i]
		}
	}
	return nil
}

// carried returns the flows of a file that the command has put something into.
func (w *machine) carried(file word, sc *scope) (from flow) {
	if len(w.written) == 0 || file.text == "" {
		return 0
	}
	at := w.at(file.text, sc).abs
	for _, f := range slices.Backward(w.written) {
		if f.file == at {
			if from |= f.from; f.sure {
				break
			}
		}
	}
	return from
}

// wroteFrom reports whether some file that the command writes carries the flow.
func (w *machine) wroteFrom(from flow) bool {
	return slices.ContainsFunc(w.written, func(f written) bool { return f.from&from != 0 })
}

// justWritten is the rule for what builds or runs the project after this command has written a
// file that may be code: nobody has read that as the language that it is in.
func (a *argv) justWritten() {
	if a.name == "npm pkg" || a.fixed && a.base == readOnly || a.base != buildTest ||
		!slices.ContainsFunc(a.w.written[:min(a.began, len(a.w.written))], mayBeCode) {
		return
	}
	a.p.add(runsUnread, a.name, a.name+" may run what this command has just written")
}

// mayBeCode reports whether a file that was written may be what is run next, or read by it as
// code: what people call a log or a table is not.
func mayBeCode(f written) bool {
	return !inList(" .log .txt .out .err .csv .tsv .md .json .xml .html ", path.Ext(f.file)) ||
		inList(" package.json tsconfig.json composer.json deno.json ", path.Base(f.file))
}

// keepText notes what a statement writes into the one file that it writes, if it surely runs and
// what it prints is known. What a later command runs of that file is read as if it stood in the
// command.
func (w *walker) keepText(s *syntax.Stmt, out stream, redirected bool, sc *scope) {
	if !anew(s, sc) {
		return
	}
	last := len(w.written) - 1
	f := &w.written[last]
	// Of several files that mktemp has made it may be any.
	same := func(old written) bool { return old.file == f.file }
	numbered := func(r *syntax.Redirect) bool { return r.N != nil }
	f.sure, f.text = redirected, out.text
	f.known = out.known && !strings.Contains(f.text, hole) &&
		!slices.ContainsFunc(s.Redirs, numbered) &&
		!(strings.Contains(f.file, hole) && slices.ContainsFunc(w.written[:last], same))
}

// textOf returns what is in a file that the command has written, if nothing else can have
// changed it since.
func (w *machine) textOf(file word, sc *scope) (string, bool) {
	f := w.writtenAt(file, sc)
	if f == nil || !f.known || strings.Contains(file.text, hole) && file.from&fromTemp == 0 ||
		len(w.links) > 0 || w.wroteFrom(fromNet) {
		return "", false
	}
	return f.text, true
}

// runsText judges a file that the command has written, of which it runs the text.
func (a *argv) runsText(file word, text string) {
	switch {
	case inList(" shell fish ", a.row.reader):
		a.text(text, stream{}, false)
	case code.Knows(a.row.reader), readerOfCode(a.row.reader) != nil:
		a.code(a.name+" FILE", lit(text))
	default:
		a.p.add(runsUnread, a.name+" FILE", a.name+" runs code in a language that is not read")
	}
	a.p.add(runsOwn, a.name+" FILE", a.name+" runs what this command has written")
}

// runsItself judges a file that the command has written and starts by its name: as its first
// line says, it is given to another program, or to the shell. It reports false where nothing is
// known of the file.
func (a *argv) runsItself(file word) bool {
	text, ok := a.w.textOf(file, a.sc)
	if !ok || strings.Contains(text, "\x00") {
		return false
	}
	words := []word{lit("sh")}
	if line, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "#!") {
		fields := strings.Fields(line[2:])
		if len(fields) == 0 {
			return false
		}
		if len(fields) > 1 && fields[1] == "-S" { // of env
			fields = append(fields[:1], fields[2:]...)
		}
		words = nil
		for _, field := range fields {
			words = append(words, lit(field))
		}
	}
	words = append(append(words, file), a.words...)
	a.out |= a.w.runWords(words, a.in, a.sc.sub(), &a.p.Parts).bits
	a.p.add(runsOwn, a.name+" FILE", a.name+" is what this command has written")
	return true
}

// hasWritten reports whether this command has written the file.
func (w *machine) hasWritten(file word, sc *scope) bool { return w.writtenAt(file, sc) != nil }
