package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// makesFolder notes the folders below /tmp that the command makes, and what is put into those of
// a new project. What the same command then writes there and runs is as in the workspace: it is
// judged by its text.
func (a *argv) makesFolder() {
	if a.name != "mkdir" && a.name != "cargo new" && a.name != "cargo init" {
		return
	}
	for _, o := range a.operands {
		at := a.w.at(o.text, a.sc)
		if !o.plain() || o.glob || !at.within("/tmp") || at.abs == "/tmp" ||
			strings.Contains(at.abs, "/.") {
			continue
		}
		a.w.folders = append(a.w.folders, at.abs)
		if a.name == "mkdir" {
			continue
		}
		for _, name := range []string{"Cargo.toml", "src/main.rs"} {
			file := path.Join(at.abs, name)
			again := a.w.rewrites
			a.w.wroteFile(file, a.sc)
			a.w.rewrites = again
			a.w.texts = append(a.w.texts, fileText{file: file, own: true})
		}
	}
}

// makesEmpty notes the folders below /tmp that a statement makes: if it succeeds, as && asks,
// nobody had made them before. With -p somebody may have.
func (w *walker) makesEmpty(s *syntax.Stmt, sc *scope) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || len(s.Redirs)+len(call.Assigns) > 0 ||
		call.Args[0].Lit() != "mkdir" || sc.funcs["mkdir"] != nil || sc.aliases["mkdir"] != "" {
		return
	}
	var made []string
	for _, arg := range call.Args[1:] {
		text := plainText(arg)
		if text == "" || strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "-m") && text != "-v" {
			return
		}
		if at := w.at(text, sc); at.within("/tmp") && at.abs != "/tmp" {
			made = append(made, at.abs)
		}
	}
	w.empty = append(w.empty, made...)
}

// plainText returns the text of a word in which the shell expands nothing, or "".
func plainText(word *syntax.Word) string {
	if len(word.Parts) != 1 {
		return ""
	}
	text := word.Lit()
	switch p := word.Parts[0].(type) {
	case *syntax.SglQuoted:
		text = p.Value
	case *syntax.DblQuoted:
		text = (&syntax.Word{Parts: p.Parts}).Lit()
	}
	if strings.ContainsAny(text, "\\*?[{") {
		return ""
	}
	return text
}

// freshFolder reports whether the command works in a folder that was empty when it came there,
// and has put nothing of others into it.
func (a *argv) freshFolder() bool {
	return a.sc.fresh != "" && a.w.place(a.sc.cwd).within(a.sc.fresh) && !a.w.changed &&
		a.w.unpacked == "" && len(a.w.links)+len(a.w.fetched) == 0
}

// ownFolder reports whether the place is in a folder that this command has made, where it has
// written what the program runs by convention, or compiles.
func (a *argv) ownFolder(text string) bool {
	if len(a.w.folders) == 0 || a.w.unpacked != "" || len(a.w.links) > 0 ||
		strings.Contains(a.p.Words[0].Text, "/") {
		return false
	}
	at := a.w.at(text, a.sc)
	dir := slices.IndexFunc(a.w.folders, at.within)
	if dir < 0 {
		return false
	}
	if inList(" javac java kotlinc scalac ", a.name) {
		return !slices.ContainsFunc(a.operands, func(o word) bool { return !a.ownSource(o) })
	}
	program, _, _ := strings.Cut(a.name, " ")
	if strings.HasPrefix(a.name, "python") {
		program = "pytest"
	}
	found := false
	for _, file := range a.w.written {
		if strings.HasPrefix(file, a.w.folders[dir]+"/") && a.runsFile(program, file, path.Base(file)) {
			found = true
			if !a.withNeighbours(file) {
				return false
			}
		}
	}
	return found
}

// withNeighbours reports whether a file that this command has written takes in no files but such
// as the command has written as well.
func (a *argv) withNeighbours(file string) bool {
	t := a.w.noted(word{text: file, from: fromTemp}, a.sc)
	if t == nil || t.own || a.standsAlone(lit(file)) {
		return true // which is judged elsewhere
	}
	var names []string
	for _, m := range takesIn.all(t.text) {
		names = append(names, m[1]+m[2]+m[3])
	}
	if path.Ext(file) == ".go" {
		for _, name := range importsOf(t.text) {
			if first, _, _ := strings.Cut(name, "/"); !inList(goLibrary, first) {
				names = append(names, path.Base(name))
			}
		}
	}
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(a.w.written, func(other string) bool {
			stem := strings.TrimSuffix(other, path.Ext(other))
			return strings.HasPrefix(other, path.Dir(file)) && (strings.HasSuffix(other, "/"+name) ||
				strings.HasSuffix(stem, "/"+name) || path.Base(path.Dir(other)) == name)
		})
	})
}

// takesIn finds in source the files beside it that it takes in.
var takesIn = regex{text: `["']\.{1,2}/([\w./-]+)["']|#\s*include\s*"([^"]+)"|\bmod\s+(\w+)\s*;`}

// ownSource reports whether the operand is source that this command has written, or a class that
// it has made of it.
func (a *argv) ownSource(o word) bool {
	return a.calmFile(o) || slices.Contains(a.w.built, a.w.at(o.text+".class", a.sc).abs)
}
