// Package code looks into a text in a programming language for what a person should be asked
// about before it runs: files that it deletes or writes, commands that it runs, machines that it
// talks to. It knows words and texts and no grammar: what a word means is data (names.txt). What
// code does beyond that nobody can foretell, so a text with a word that no list has is unread, and
// the sandbox alone holds it. The lexer (lex.go) may take a piece of a text for another one, which
// hides nothing from the sandbox either.
package code

import (
	"slices"
	"strings"
)

// An Act is one thing that a text does.
type Act struct {
	Kind Kind
	Name string   // the word by which it is known
	Args []string // the values of its arguments, with a Hole for what is not known
}

// Knows reports whether the words of a language are known: a text in another one is unread.
func Knows(language string) bool { return strings.Contains(namesText, "\n["+language+"]\n") }

// Acts returns what the text does, and the values of all texts in it.
func Acts(language, text string) (acts []Act, values []string) {
	n := namesOf(language)
	text = n.renamed(text)
	tokens := n.lex(text)
	own := map[string]bool{}
	strange := ""
	seen := map[string]bool{}
	for name := range strings.FieldsFuncSeq(text, outside) {
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, e := range n.forms[name] {
			found := e.form().FindAllStringIndex(text, most)
			for _, at := range found {
				a, does := n.act(e.kind, text, at[0], at[1])
				if own[a.Name] = true; does { // else it is a file that is only read
					acts = append(acts, a)
				}
			}
			if len(found) == most {
				strange = "a long text"
			}
		}
	}
	for _, t := range tokens {
		for _, t := range append(t.inner, t) {
			if t.kind == command {
				acts = append(acts, Act{Command, "`", []string{t.text}})
			}
		}
	}
	if strange == "" {
		strange = n.strange(tokens, own)
	}
	if !Knows(language) {
		strange = "code"
	}
	if strange != "" {
		acts = append(acts, Act{Kind: Unread, Name: strange})
	}
	return acts, n.valuesOf(tokens, true)
}

// mode is a mode by which a file is opened to be written.
var mode = lazy(`^(?:[rbtU]*[wax+][a-z+:0-9-]*|\+?>>?.*|\+<.*)$`)

// act returns what the word at text[from:to] does. Its arguments stand in the brackets behind it
// or, where a call needs none, up to the end of the line.
func (n *names) act(k Kind, text string, from, to int) (Act, bool) {
	a := Act{Kind: k, Name: strings.TrimRight(text[from:to], " \t(\"'$@%<")}
	to = from + len(a.Name)
	if k != Net {
		a.Name = a.Name[strings.LastIndexAny(a.Name, ".:>\n ,{\"'")+1:]
	}
	a.Args = n.valuesOf(n.arguments(n.lex(text[to:min(to+near, len(text))])), false)
	if k == Env {
		line, _, _ := strings.Cut(text[to:min(to+near, len(text))], "\n")
		a.Args = nil
		for _, t := range n.lex(line) {
			if t.kind == word || t.kind == literal {
				a.Args = append(a.Args, t.text)
			}
		}
	}
	switch n.at[a.Name] {
	// The mode says whether the call writes, and stands beside the path.
	case "mode":
		i := slices.IndexFunc(a.Args, mode().MatchString)
		method := strings.HasSuffix(strings.TrimRight(text[:from], ". "), ")")
		// The path may look like a mode.
		if i == 0 && !method && !strings.ContainsAny(a.Args[0], "<>") && len(a.Args) > 1 {
			if i = 1 + slices.IndexFunc(a.Args[1:], mode().MatchString); i == 0 {
				i = -1
			}
			if i < 0 && strings.Contains(text[to:min(to+near, len(text))], "mode") {
				a.Args = a.Args[1:]
				return a, true
			}
		}
		switch {
		case i < 0, i == 0 && !method && !strings.HasPrefix(a.Args[0], ">"):
			return a, false
		case i == 0 && method:
			a.Args = n.before(text[:from])
		case strings.Trim(a.Args[i], "+> ") == "":
			a.Args = a.Args[min(i+1, len(a.Args)):]
		case strings.HasPrefix(a.Args[i], ">"):
			a.Args = []string{strings.TrimLeft(a.Args[i], "> ")}
		}
		a.Args = a.Args[:min(len(a.Args), 1)]
	case "0":
		a.Args = n.before(text[:from])
	case "01":
		a.Args = append(n.before(text[:from]), a.Args...)
	case "1":
		a.Args = a.Args[:min(len(a.Args), 1)]
	default:
		if k == Delete && len(a.Args) == 0 {
			a.Args = n.before(text[:from])
		}
	}
	return a, true
}

// before returns the value on which the method is called whose name stands behind the text.
func (n *names) before(text string) []string {
	text = text[max(strings.LastIndexAny(text, ";\n")+1, len(text)-near):]
	text = strings.TrimRight(text, ".:->&?")
	all := n.valuesOf(n.lex(text), false)
	return all[max(len(all)-1, 0):]
}

// arguments returns those of the tokens behind a name that are the arguments of its call.
func (n *names) arguments(tokens []token) []token {
	depth := 0
	for i, t := range tokens {
		switch {
		case i == 0 && !t.is("(") && (!n.bare || t.kind == mark && !strings.Contains("[%<{\\", t.text)):
			return nil
		case t.is("("), t.is("["), t.is("{"):
			depth++
		case t.is(")"), t.is("]"), t.is("}"):
			if depth--; depth < 0 || depth == 0 && tokens[0].is("(") {
				return tokens[:i]
			}
		case depth == 0 && (t.is("\n") || t.is(";")):
			return tokens[:i]
		}
	}
	return tokens
}
