package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inside classifies the commands in a node that isn't itself one: a test, an
// arithmetic expression, the word of an expansion.
func (w *expander) inside(node syntax.Node, sc *scope, parts *[]Part) {
	if empty(node) {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.commands(n.Stmts, sc, parts)
			return false
		case *syntax.ProcSubst:
			w.commands(n.Stmts, sc, parts)
			return false
		case *syntax.ParamExp:
			w.param(n, sc, parts)
			return false
		// Arithmetic evaluates the text of a value once more, subscripts too.
		case *syntax.Word:
			if arithmetic(node) && len(n.Parts) > 1 && substitutes(w.single(n, sc, parts).text) {
				w.unread(parts, n, "word:subscript", "arithmetic runs the commands in a value")
			}
		case *syntax.Lit:
			if _, test := node.(*syntax.TestClause); test && (strings.Contains(n.Value, "<(") ||
				strings.Contains(n.Value, ">(")) {
				w.unread(parts, n, "word:process", "commands in <(…) in a regular expression")
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

// assign returns one assignment; what it means for the programs that run later
// raises p.
func (w *expander) assign(a *syntax.Assign, sc *scope, p *Part) word {
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
				elements = w.fields(elements, e.Value, sc, &p.Parts)
			}
		}
	}
	v := w.single(a.Value, sc, &p.Parts)
	if a.Name == nil {
		return v
	}
	name := a.Name.Value
	if a.Index != nil {
		shellTable(p, name)
		elements = append(elements, v)
	}
	for _, e := range elements {
		if name == "PROMPT_COMMAND" {
			w.prompts(p, setting{name, e}, nil)
		}
		evaluates(p, "a value of "+name, e.text)
	}
	switch {
	case a.Array != nil || a.Index != nil:
		sc.array(name, elements)
	case a.Append:
		old, _ := sc.get(name)
		now := value{text: old.text + v.text, from: old.from | v.from, cmd: old.cmd || v.subst}
		for _, text := range old.others {
			now.others = append(now.others, text+v.text)
		}
		sc.set(name, now)
	default:
		sc.set(name, value{text: v.text, from: v.from, cmd: v.subst, maybe: v.maybe,
			others: w.otherTexts(a.Value, v, sc)})
	}
	return v
}

// shellTable is the rule for an element of the tables in which a shell keeps what
// names stand for: its commands, aliases and functions (bash(1)).
func shellTable(p *Part, name string) {
	switch name {
	case "BASH_CMDS", "BASH_ALIASES":
	default:
		return
	}
	p.add(runsHidden, "word:table", "an entry of "+name+" gives a name another meaning")
	p.Unread = true
}

func fromAll(words []word) (from flow) {
	lists := fromFilter
	for _, wd := range words {
		if from |= wd.from; !wd.plain() {
			lists &= wd.from
		}
	}
	return from&^fromFilter | from&lists
}
