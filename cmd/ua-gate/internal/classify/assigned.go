package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Assignments are what a script may assign by any way, found before any of it is judged. A
// variable is known only if one plain assignment is all that sets it, in the straight line of the
// script; of all others the texts that they may hold are judged, and an unknown one besides.
type assignments struct {
	times map[string]int      // how often the name stands where something may be assigned to it
	texts map[string][]string // the texts that are assigned
	calls [][]*syntax.Word    // the words of commands with arguments, which a function may be given
	all   bool                // also variables whose names nobody knows
}

// sure reports whether the variable holds what its assignment says.
func (a *assignments) sure(name string) bool {
	return a != nil && !a.all && a.times[name] == 1 && a.times["IFS"] == 0
}

// note adds an assignment.
func (a *assignments) note(name string, times int, text string) {
	a.times[name] += times
	if text != "" {
		a.texts[name] = another(a.texts[name], text, "")
	}
}

// given returns the texts that commands of the name have as arguments.
func (a *assignments) given(name string) (texts []string) {
	for _, call := range a.calls {
		for _, arg := range call[1:] {
			if bareText(call[0]) == name {
				texts = another(texts, bareText(arg), "")
			}
		}
	}
	return texts
}

// assigns finds what a script assigns, and gives back which functions it defines. In a shell that
// has begun another script, what a text in it assigns is no plain assignment.
func (s *scope) assigns(f *syntax.File) (functions []string) {
	times := 2
	if s.script == nil {
		times = 1
		s.script = &assignments{times: map[string]int{}, texts: map[string][]string{}}
	}
	to := s.script
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				to.assign(n, times)
			}
		case *syntax.WordIter:
			to.note(n.Name.Value, times, "")
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				to.all = to.all || n.Param == nil || n.Excl
				to.mention(n.Param, n.Exp.Word.Lit())
			}
		case *syntax.FuncDecl:
			for _, name := range append(n.Names, n.Name) {
				if name != nil {
					functions = append(functions, name.Value)
				}
			}
		case *syntax.CallExpr:
			to.call(n)
		case *syntax.Redirect: // {NAME}>FILE gives it the number of a descriptor
			to.mention(n.N, "")
		case *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.LetClause:
			to.counts(n)
		}
		return true
	})
	return functions
}

// counts is the rule for a number that is computed: any name in it may be set.
func (a *assignments) counts(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if name, ok := n.(*syntax.Lit); ok {
			a.mention(name, "")
		}
		return true
	})
}

// assign is one assignment as the parser knows it.
func (a *assignments) assign(n *syntax.Assign, times int) {
	if n.Append || n.Index != nil || n.Array != nil || n.Naked {
		times = 2
	}
	text := ""
	if n.Value != nil {
		text = bareText(n.Value)
	}
	if strings.Contains(text, "{") {
		times = 2 // to some builtins these are several assignments
	}
	a.note(n.Name.Value, times, text)
}

// mention counts a name where something is assigned to it, perhaps in braces or with a subscript.
func (a *assignments) mention(at *syntax.Lit, text string) {
	if at != nil {
		name, _, _ := strings.Cut(strings.Trim(at.Value, "{}"), "[")
		a.note(name, 2, text)
	}
}

// Setters are the builtins that assign to what their words name, and those that run a text.
const (
	setters = " read mapfile readarray getopts unset wait printf print vared zparseopts " +
		"declare typeset local export readonly "
	textual = " eval . source "
)

// call is what a simple command may assign: by words that are not known, all.
func (a *assignments) call(n *syntax.CallExpr) {
	args := n.Args
	for len(args) > 1 && (inList(" command builtin ", bareText(args[0])) ||
		strings.HasPrefix(bareText(args[0]), "-")) {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := bareText(args[0])
	a.all = a.all || inList(textual, name)
	if len(args) > 1 {
		a.calls = append(a.calls, args)
	}
	sets := name == "" || inList(setters, name)
	if sets && inList(" printf print ", name) && len(args) > 1 {
		first := leading(args[1].Parts)
		sets = first == hole || strings.HasPrefix(first, "-v")
	}
	if !sets {
		return
	}
	for _, arg := range args[1:] {
		text := bareText(arg)
		a.all = a.all || name != "" && (text == "" && len(arg.Parts) > 0 ||
			strings.ContainsAny(text, "{*?") && !strings.Contains(text, "="))
		set, val, _ := strings.Cut(strings.TrimPrefix(text, "-v"), "=")
		set, _, _ = strings.Cut(strings.TrimSuffix(set, "+"), "[")
		a.note(set, 2, val)
	}
}

// bareText returns the text of a word without quotes, or "" where something in it is expanded.
func bareText(word *syntax.Word) string {
	if text := leading(word.Parts); !strings.HasSuffix(text, hole) {
		return text
	}
	return ""
}

// leading returns the text of a word up to its first expansion, which is a hole then.
func leading(parts []syntax.WordPart) string {
	var b strings.Builder
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i+1 == len(parts) && b.Len() == 0 {
				return strings.ReplaceAll(p.Value, `\`, "")
			}
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				return b.String() + hole
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if b.WriteString(leading(p.Parts)); strings.HasSuffix(b.String(), hole) {
				return b.String()
			}
		default:
			return b.String() + hole
		}
	}
	return b.String()
}
