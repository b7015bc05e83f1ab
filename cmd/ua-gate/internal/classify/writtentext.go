package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/code"
)

// A fileText is a file of which it is known what the command has written into it.
type fileText struct {
	file, text string
	piece      bool // the text stands behind what was there before
	own        bool // what is in it comes from the project, whatever it is
	reading    bool // its text is being read
}

// keepText notes what a statement writes into the one file that it writes, if it surely runs and
// its words say that: cat, tee, echo and printf. What a later command runs of that file is read
// as if it stood in the command. What the project's own generators print is the project's.
func (w *walker) keepText(s *syntax.Stmt, io *stdio, out stream, before []fileText, sc *scope) {
	call := s.Cmd.(*syntax.CallExpr)
	name := call.Args[0].Lit()
	// What may not run, or is not the program that its name says, tells nothing of the
	// file.
	if len(call.Assigns) > 0 || sc.funcs[name] != nil || sc.aliases[name] != "" || s.Background ||
		sc.maybe+w.forks+len(w.calling)+len(w.links) > 0 || w.changed {
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
	// go run ./gen >FILE: nobody knows the text, but it is the project's.
	case name == "go" && len(call.Args) > 2 && call.Args[1].Lit() == "run" && len(s.Redirs) == 1:
		t.own = true
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
			if r.N != nil || tee {
				return
			}
			t.piece = true
			for _, old := range before {
				if old.file == t.file {
					t.text, t.piece, t.own = old.text+t.text, old.piece, old.own
				}
			}
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
	t := w.noted(file, sc)
	if t == nil || t.piece || t.own {
		return "", false
	}
	return t.text, true
}

// noted returns what is known of a file that the command has written, or nil.
func (w *walker) noted(file word, sc *scope) *fileText {
	if strings.Contains(file.text, hole) && file.from&fromTemp == 0 || w.changed ||
		w.unpacked != "" ||
		len(w.links)+len(w.fetched)+len(w.ran) > 0 {
		return nil
	}
	at := w.at(file.text, sc).abs
	i := slices.IndexFunc(w.texts, func(t fileText) bool { return t.file == at })
	if i < 0 {
		return nil
	}
	return &w.texts[i]
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
		program, flag, _ := strings.Cut(strings.TrimSpace(line[2:]), " ")
		if program == "" {
			return false
		}
		words = []word{lit(program)}
		if flag = strings.TrimSpace(flag); strings.HasPrefix(flag, "-S ") {
			for wd := range strings.FieldsSeq(flag[2:]) {
				words = append(words, lit(wd))
			}
		} else if flag != "" {
			words = append(words, lit(flag))
		}
	}
	words = append(append(words, file), a.words...)
	a.out |= a.w.run(words, a.in, a.sc.sub(), &a.p.Parts).bits
	a.p.add(runsOwn, a.name+" FILE", a.name+" is what this command has written")
	return true
}

// textLanguages are the programs by whose rows files are read that a test tool runs.
var textLanguages = map[string]string{".py": "python3", ".js": "node", ".mjs": "node",
	".cjs": "node", ".ts": "node", ".tsx": "node", ".jsx": "node", ".mts": "node", ".rb": "ruby",
	".pl": "perl", ".t": "perl", ".pm": "perl"}

// readsWritten judges by its text a file that the command has written and a tool runs. It
// reports false where that can't be done.
func (a *argv) readsWritten(file string) bool {
	t := a.w.noted(word{text: file, from: fromTemp}, a.sc)
	switch {
	case t == nil:
		return false
	case t.own, t.reading:
		return true // or modules that import each other, or a makefile that runs make
	case t.piece:
		return false // by what the file had before it may mean anything
	}
	t.reading = true
	calm := a.readsText(file, t.text)
	if t = a.w.noted(word{text: file, from: fromTemp}, a.sc); t != nil {
		t.reading = false
	}
	return calm
}

// readsText judges the text of a file of that name, and reports whether it is read at all.
func (a *argv) readsText(file, text string) bool {
	r := a.w.row(textLanguages[path.Ext(file)])
	if r == nil || inList(" setup.py noxfile.py sitecustomize.py usercustomize.py ",
		path.Base(file)) {
		return false
	}
	b := argv{w: a.w, p: a.p, sc: a.sc, row: r, name: r.name, base: readOnly}
	b.code(a.name+" "+path.Base(file), lit(text))
	return true
}

// hasWritten reports whether this command has written the file.
func (w *walker) hasWritten(file word, sc *scope) bool {
	return file.text != "" && slices.Contains(w.written, w.at(file.text, sc).abs)
}
