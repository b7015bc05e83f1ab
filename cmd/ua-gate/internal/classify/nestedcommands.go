package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inside classifies the commands in a node that isn't itself one: a test, an
// arithmetic expression, the word of an expansion.
func (w *walker) inside(node syntax.Node, sc *scope, parts *[]Part) {
	if empty(node) {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.subst(n.Stmts, sc, parts)
			return false
		case *syntax.ProcSubst:
			w.subst(n.Stmts, sc, parts)
			return false
		case *syntax.ParamExp:
			w.param(n, sc, parts)
			if n.Param != nil {
				w.recurses(n.Param, node, sc, parts)
			}
			return false
		// Arithmetic evaluates the text of a value once more, subscripts too.
		case *syntax.Word:
			if arithmetic(node) && len(n.Parts) > 1 && substitutes(w.single(n, sc, parts).text) {
				w.unread(parts, n, "word:subscript", "arithmetic runs the commands in a value")
			}
		case *syntax.BinaryArithm:
			if changesNumber(n.Op) {
				w.counted(n.X, parts)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				w.counted(n.X, parts)
			}
		case *syntax.Lit:
			w.recurses(n, node, sc, parts)
			if _, test := node.(*syntax.TestClause); test && (strings.Contains(n.Value, "<(") ||
				strings.Contains(n.Value, ">(")) {
				w.unread(parts, n, "word:process", "commands in <(…) in a regular expression")
			}
		case *syntax.SglQuoted:
			if arithmetic(node) && substitutes(n.Value) {
				w.fact(parts, n, runsHidden, "word:subscript",
					"arithmetic runs the commands in a quoted subscript").Unread = subscripted(n.Value)
			}
		}
		return true
	})
}

// empty reports whether there is no node, in an interface or out of it.
func empty(node syntax.Node) bool {
	w, word := node.(*syntax.Word)
	return node == nil || word && w == nil
}

// recurses is the rule that arithmetic evaluates a variable's value again, with
// the commands in its subscripts.
func (w *walker) recurses(name *syntax.Lit, node syntax.Node, sc *scope, parts *[]Part) {
	if !arithmetic(node) {
		return
	}
	if v, ok := sc.vars[name.Value]; ok && substitutes(v.text) {
		w.fact(parts, name, runsHidden, "word:subscript",
			"arithmetic runs the commands in "+name.Value)
	}
}

func arithmetic(node syntax.Node) bool {
	switch node.(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause,
		*syntax.CStyleLoop:
		return true
	}
	return false
}

// substitutes reports whether the text would run a command if it were expanded.
func substitutes(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "<(")
}

// subscripted reports whether the text, as the value of a variable, would run a
// command where the shell takes the variable for a number: a subscript with a
// substitution in it.
func subscripted(text string) bool {
	_, after, found := strings.Cut(text, "[")
	return found && (strings.Contains(after, "$(") || strings.Contains(after, "`") ||
		strings.Contains(after, "${"))
}

// assign returns one assignment; what it means for the programs that run later
// raises p.
func (w *walker) assign(a *syntax.Assign, sc *scope, p *Part) word {
	if a.Index != nil {
		w.inside(a.Index, sc, &p.Parts)
		w.flaggedIndex(a.Name, a.Index, &p.Parts)
	}
	var elements []word
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				w.inside(e.Index, sc, &p.Parts)
			}
			if e.Value != nil {
				elements = append(elements, w.fields(e.Value, sc, &p.Parts)...)
			}
		}
	}
	v := w.single(a.Value, sc, &p.Parts)
	if a.Name == nil {
		return v
	}
	name := a.Name.Value
	if a.Index != nil {
		w.shellTable(p, name)
		elements = append(elements, v)
	}
	for _, e := range elements {
		if name == "PROMPT_COMMAND" {
			w.prompts(p, setting{name, e}, nil)
		}
		if subscripted(e.text) {
			p.add(runsHidden, "word:subscript",
				"a value of "+name+" has a subscript that runs a command")
			w.inSubscript(p, e.text)
		}
	}
	switch {
	case a.Array != nil || a.Index != nil:
		// Not all elements are known: those that are stay as what a later index may give.
		older := append(plainTexts(elements), sc.vars[name].older...)
		sc.forget(name, v.from|fromAll(elements))
		kept := sc.vars[name]
		kept.older = older[:min(len(older), maxOlder)]
		sc.vars[name] = kept
	case a.Append:
		old, ok := sc.vars[name]
		if !ok {
			old.text = hole
		}
		sc.set(name, old.appended(v, w.otherTexts(a.Value, v, sc)))
		w.notInEachSh(sc, name)
	default:
		sc.set(name, value{text: v.text, from: v.from, cmd: v.subst,
			older: w.otherTexts(a.Value, v, sc)})
	}
	return v
}

// appended returns the value with a word behind it, which may be one of others as well.
func (v value) appended(wd word, others []string) value {
	now := value{text: v.text + wd.text, from: v.from | wd.from, cmd: v.cmd || wd.subst}
	for _, old := range v.older {
		now.older = append(now.older, old+wd.text)
	}
	for _, other := range others {
		now.older = append(now.older, v.text+other)
	}
	if len(v.older) > 0 && len(others) > 0 || len(now.older) > maxOlder {
		now.older = []string{hole}
	}
	return now
}

// otherTexts returns what an assigned word may be as well, by the other values of its variables.
func (w *walker) otherTexts(src *syntax.Word, now word, sc *scope) (texts []string) {
	if !now.maybe {
		return nil
	}
	for other := range sc.alternatives(src) {
		var unused []Part
		text := w.single(src, other, &unused).text
		if text != now.text && !slices.Contains(texts, text) && len(texts) < maxOlder {
			texts = append(texts, text)
		}
	}
	return texts
}

// shellTable is the rule for an element of the tables in which a shell keeps what
// names stand for: its commands, aliases and functions (bash(1)).
func (w *walker) shellTable(p *Part, name string) {
	switch name {
	case "BASH_CMDS", "BASH_ALIASES":
	default:
		return
	}
	p.add(runsHidden, "word:table", "an entry of "+name+" gives a name another meaning")
	p.Unread = true
}

func allKnown(words []word) bool {
	for _, wd := range words {
		if !wd.known() {
			return false
		}
	}
	return true
}

func fromAll(words []word) (from flow) {
	for _, wd := range words {
		from |= wd.from
	}
	return from
}
