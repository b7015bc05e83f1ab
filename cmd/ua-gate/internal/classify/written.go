package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/code"
)

// A fileText is a file of which it is known what the command has written into it.
type fileText struct{ file, text string }

// justWritten is the rule for what builds or runs the project after this command has written a
// file that may be code: nobody has read that as the language that it is in.
func (a *argv) justWritten() {
	if a.name == "npm pkg" || a.fixed && a.base == readOnly || a.base != buildTest ||
		!slices.ContainsFunc(a.w.written[:a.began], mayBeCode) {
		return
	}
	a.p.add(runsUnread, a.name, a.name+" may run what this command has just written")
}

// mayBeCode reports whether a file that was written may be what is run next, or read by it as
// code: what people call a log or a table is not.
func mayBeCode(file string) bool {
	return !inList(" .log .txt .out .err .csv .tsv .md .json .xml .html ", path.Ext(file)) ||
		inList(" package.json tsconfig.json composer.json deno.json ", path.Base(file))
}

// keepText notes what a statement writes into the one file that it writes, if it surely runs and
// its words say that: cat, tee, echo and printf. What a later command runs of that file is read
// as if it stood in the command.
func (w *walker) keepText(s *syntax.Stmt, io *stdio, out stream, before []fileText, sc *scope) {
	call := s.Cmd.(*syntax.CallExpr)
	name := call.Args[0].Lit()
	// What may not run, or is not the program that its name says, tells nothing of the
	// file.
	if len(call.Assigns) > 0 || sc.funcs[name] != nil || sc.aliases[name] != "" || s.Background ||
		sc.maybe+w.forks+len(w.calling)+len(w.links) > 0 {
		return
	}
	t := fileText{file: w.written[len(w.written)-1], text: out.text}
	if strings.Contains(t.file, hole) && slices.Contains(w.written[:len(w.written)-1], t.file) {
		return // of several that mktemp has made
	}
	tee := name == "tee" && len(call.Args) == 2
	switch {
	// cat >FILE <<EOF and tee FILE <<EOF: the here-document is the text.
	case name == "cat" && len(call.Args) == 1 && len(s.Redirs) == 2 || tee:
		if !io.in.here || !io.in.known || io.in.text == "" {
			return
		}
		t.text = io.in.text
	case name != "echo" && name != "printf" || !out.known || len(s.Redirs) != 1:
		return
	}
	// Only standard output may go into the file: whole, or behind a text that is known.
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.RdrClob:
			if r.N != nil || tee && r.Word.Lit() != "/dev/null" {
				return
			}
		case syntax.AppOut:
			i := slices.IndexFunc(before, func(old fileText) bool { return old.file == t.file })
			if r.N != nil || tee || i < 0 {
				return
			}
			t.text = before[i].text + t.text
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		default:
			return
		}
	}
	w.texts = append(w.texts, t)
}

// textOf returns what is in a file that the command has written, if nothing else can have
// changed it since.
func (w *walker) textOf(file word, sc *scope) (string, bool) {
	if strings.Contains(file.text, hole) && file.from&fromTemp == 0 ||
		len(w.links)+len(w.fetched) > 0 {
		return "", false
	}
	at := w.at(file.text, sc).abs
	i := slices.IndexFunc(w.texts, func(t fileText) bool { return t.file == at })
	if i < 0 {
		return "", false
	}
	return w.texts[i].text, true
}

// runsText judges a file that the command has written, of which it runs the text.
func (a *argv) runsText(file word, text string) {
	switch {
	case a.row.reader == "fish":
		a.dialect(func() { a.w.fish(text, a.sc.sub(), &a.p.Parts) })
	case a.row.reader == "shell":
		a.dialect(func() { a.w.text(text, stream{}, a.sc.sub(), &a.p.Parts) })
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
	a.out |= a.w.run(words, a.in, a.sc.sub(), &a.p.Parts).bits
	a.p.add(runsOwn, a.name+" FILE", a.name+" is what this command has written")
	return true
}

// hasWritten reports whether this command has written the file.
func (w *walker) hasWritten(file word, sc *scope) bool {
	return file.text != "" && slices.Contains(w.written, w.at(file.text, sc).abs)
}
