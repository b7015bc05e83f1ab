package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Assignments are what a script assigns by any way, found before any of it is judged. A variable
// is known only if its one assignment is a plain one in the straight line of the script; of all
// others the texts that they may hold are judged, and an unknown one besides.
type assignments struct {
	times map[string]int      // 2 for what is no plain assignment
	texts map[string][]string // the literal texts among them, and of a function's arguments
	all   bool                // also variables whose names nobody knows
}

// sure reports whether the variable holds what its assignment says.
func (a *assignments) sure(name string) bool {
	return a != nil && !a.all && a.times[name] == 1 && a.times["IFS"] == 0
}

// note adds an assignment.
func (a *assignments) note(name string, times int, text string) {
	name, _, _ = strings.Cut(name, "[")
	a.times[name] += times
	if list := a.texts[name]; text != "" && len(list) < maxOlder && !slices.Contains(list, text) {
		a.texts[name] = append(list, text)
	}
}

// A scan goes through a script for what it assigns.
type scan struct {
	w     *walker
	to    *assignments
	parts *[]Part
	plain int                  // what a plain assignment counts
	loose []bool               // whether the nodes around this one may not run, or run again
	other map[syntax.Node]bool // what runs only if something before it has failed

	dynamic []string // words of commands whose names are not known here
}

// assigns finds what a script assigns. In a shell that has begun another script, what a text in it
// assigns is no plain assignment.
func (w *walker) assigns(s *script, sc *scope, parts *[]Part) {
	plain := 2
	if sc.script == nil {
		plain = 1
		sc.script = &assignments{times: map[string]int{}, texts: map[string][]string{}}
	}
	if !strings.ContainsAny(s.text, "=$(`[") && !setterWord.match(s.text) {
		return
	}
	c := scan{w: w, to: sc.script, parts: parts, plain: plain, loose: []bool{false},
		other: map[syntax.Node]bool{}}
	syntax.Walk(s.File, c.node)
	for _, name := range c.dynamic {
		if sc.script.times[name] > 0 {
			sc.script.note(name, 2, "")
		}
	}
}

// setterWord finds what assigns without any of these characters.
var setterWord = regex{text: `\b(?:read|readarray|mapfile|getopts|unset|for|select)\b|\{\w+[<>]`}

// node is what one node of the script assigns.
func (c *scan) node(n syntax.Node) bool {
	if n == nil {
		c.loose = c.loose[:len(c.loose)-1]
		return true
	}
	loose := c.loose[len(c.loose)-1] || c.other[n]
	switch n := n.(type) {
	case *syntax.File, *syntax.Block, *syntax.TimeClause, *syntax.Comment:
	case *syntax.Stmt:
		loose = loose || n.Background || n.Coprocess
	case *syntax.BinaryCmd:
		loose = loose || n.Op != syntax.AndStmt && n.Op != syntax.OrStmt
		c.other[n.Y] = n.Op == syntax.OrStmt
	case *syntax.CallExpr:
		c.call(n, loose)
	case *syntax.DeclClause:
		c.declares(n, loose)
	default:
		loose = true
		c.inside(n)
	}
	c.loose = append(c.loose, loose)
	return true
}

// inside is what a node assigns that is none of the straight line.
func (c *scan) inside(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		for _, name := range append(n.Names, n.Name) {
			if name != nil && c.w.functions[name.Value] == nil {
				c.w.functions[name.Value] = &function{}
			}
		}
	case *syntax.ForClause:
		if loop, ok := n.Loop.(*syntax.WordIter); ok {
			c.to.note(loop.Name.Value, c.plain, "")
		}
	case *syntax.BinaryArithm:
		if changesNumber(n.Op) {
			c.counts(n.X)
		}
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			if word, ok := x.(*syntax.Word); ok && word.Lit() == "" {
				c.to.all = true
			}
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			c.counts(n.X)
		}
	case *syntax.ParamExp:
		if n.Exp == nil || n.Exp.Op != syntax.AssignUnset && n.Exp.Op != syntax.AssignUnsetOrNull {
			return
		}
		if n.Param == nil || n.Excl || n.Flags != nil {
			c.to.all = true
			c.fills(n, hole)
			return
		}
		c.to.note(n.Param.Value, 2, n.Exp.Word.Lit())
		if n.Index != nil {
			c.fills(n, n.Param.Value)
		}
	case *syntax.Redirect:
		if n.N == nil {
			return
		}
		if name, ok := strings.CutPrefix(n.N.Value, "{"); ok { // the number of a descriptor
			c.fills(n, strings.TrimSuffix(name, "}"))
		}
	case *syntax.ExtGlob:
		if !plainPattern(n.Pattern.Value) {
			c.w.unread(c.parts, n, "word:pattern", "a pattern may run commands")
		}
	}
}

// counts is the rule for a variable that arithmetic sets.
func (c *scan) counts(x syntax.ArithmExpr) {
	word, ok := x.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		c.to.all = true
		return
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		c.fills(word, part.Value)
	case *syntax.ParamExp:
		c.fills(word, part.Param.Value)
	default:
		c.to.all = true
	}
}

// fills notes a variable that gets what nobody has read.
func (c *scan) fills(at syntax.Node, name string) {
	c.to.note(name, 2, "")
	var p Part
	if c.w.fills(&p, name); p.Level > readOnly {
		c.w.mark(&p, at)
		*c.parts = append(*c.parts, p)
	}
}

// setters are the builtins that assign to the variables that their words name, and textual those
// that run a text in this shell.
const (
	setters = " read mapfile readarray getopts unset wait printf print vared zparseopts " +
		"declare typeset local export readonly "
	textual = " eval . source trap alias "
)

// call is what a simple command assigns.
func (c *scan) call(n *syntax.CallExpr, loose bool) {
	args := n.Args
	for len(args) > 1 && (inList(" command builtin ", bareText(args[0])) ||
		strings.HasPrefix(bareText(args[0]), "-")) {
		args = args[1:]
	}
	name := ""
	if len(args) > 0 {
		name = bareText(args[0])
	}
	for _, a := range n.Assigns {
		if a.Name != nil && !(a.Name.Value == "IFS" && name == "read") {
			c.assign(a, len(args) == 0 && !loose)
		}
	}
	switch {
	case inList(textual, name):
		c.to.all = c.to.all || loose && c.plain == 1
	case inList(setters, name):
		into := !inList(" printf print ", name)
		for _, arg := range args[1:] {
			if lead := leading(arg.Parts); into || lead == hole || strings.HasPrefix(lead, "-v") {
				into = true
				c.setterWord(arg, bareText(arg))
			}
			if name == "printf" && !into {
				break
			}
		}
	case name == "" && len(args) > 0: // it may be one of them
		for _, arg := range args[1:] {
			c.dynamic = append(c.dynamic, strings.TrimPrefix(bareText(arg), "-v"))
		}
	case name != "" && c.w.functions[name] != nil || name != "" && strings.Trim(name, "-_.") == name:
		for _, arg := range args[1:] {
			c.to.note("("+name, 0, bareText(arg)) // may be a function's argument
		}
	}
}

// setterWord is a word of one of the setters.
func (c *scan) setterWord(arg *syntax.Word, text string) {
	text = strings.TrimPrefix(text, "-v")
	name, val, _ := strings.Cut(text, "=")
	if text == "" && len(arg.Parts) > 0 || strings.ContainsAny(name, "{*?") {
		c.to.all = true // a name that is not known
		return
	}
	name = strings.TrimSuffix(name, "+")
	c.to.note(name, 2, val)
}

// assign is one assignment.
func (c *scan) assign(a *syntax.Assign, plain bool) {
	times := c.plain
	if !plain || a.Append || a.Index != nil || a.Array != nil {
		times = 2
	}
	text := ""
	if a.Value != nil {
		text = bareText(a.Value)
	}
	c.to.note(a.Name.Value, times, text)
}

// declares is what export, declare and their like assign.
func (c *scan) declares(n *syntax.DeclClause, loose bool) {
	plain := !loose && inList(" export readonly ", n.Variant.Value) &&
		!slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool { return a.Naked && a.Value != nil })
	for _, a := range n.Args {
		switch {
		case a.Name != nil && !a.Naked:
			braced := syntax.Word{}
			if a.Value != nil {
				braced.Parts = slices.Clone(a.Value.Parts)
			}
			c.assign(a, plain && !syntax.SplitBraces(&braced)) // or several declarations
		case a.Name != nil && !inList(" export readonly ", n.Variant.Value):
			c.to.note(a.Name.Value, 2, "")
		case a.Value != nil && !strings.HasPrefix(a.Value.Lit(), "-"):
			c.setterWord(a.Value, bareText(a.Value))
		}
	}
}

// changesNumber reports whether an arithmetic operator sets the variable before it.
func changesNumber(op syntax.BinAritOperator) bool {
	return strings.HasSuffix(op.String(), "=") && op != syntax.Eql && op != syntax.Neq &&
		op != syntax.Leq && op != syntax.Geq
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
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
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
