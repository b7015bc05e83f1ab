package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/match"
)

// Assignments are what a script may assign by any way, found before any of it is judged. A
// variable is known only if one plain assignment is all that sets it, in the straight line of the
// script; of all others the texts that they may hold are judged, and an unknown one besides.
type Assignments struct {
	Times map[string]int      // how often the name stands where something may be assigned to it
	texts map[string][]string // the texts that are assigned
	calls [][]*syntax.Word    // the words of commands with arguments, which a function may be given
	All   bool                // also variables whose names nobody knows
}

// Sure reports whether the variable holds what its assignment says.
func (a *Assignments) Sure(name string) bool {
	return a != nil && !a.All && a.Times[name] == 1 && a.Times["IFS"] == 0
}

// note adds an assignment.
func (a *Assignments) note(name string, times int, text string) {
	a.Times[name] += times
	if text != "" {
		a.texts[name] = Another(a.texts[name], text, "")
	}
}

// Given returns the texts that commands of the name have as arguments.
func (a *Assignments) Given(name string) (texts []string) {
	for _, call := range a.calls {
		for _, arg := range call[1:] {
			if bareText(call[0]) == name {
				texts = Another(texts, bareText(arg), "")
			}
		}
	}
	return texts
}

// counts is the rule for a number that is computed: any name in it may be set.
func (a *Assignments) counts(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if name, ok := n.(*syntax.Lit); ok {
			a.mention(name, "")
		}
		return true
	})
}

// assign is one assignment as the parser knows it.
func (a *Assignments) assign(n *syntax.Assign, times int) {
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
func (a *Assignments) mention(at *syntax.Lit, text string) {
	if at != nil {
		name, _, _ := strings.Cut(strings.Trim(at.Value, "{}"), "[")
		a.note(name, 2, text)
	}
}

// call is what a simple command may assign: by words that are not known, all.
func (a *Assignments) call(n *syntax.CallExpr) {
	args := n.Args
	for len(args) > 1 && (match.InList(" command builtin ", bareText(args[0])) ||
		strings.HasPrefix(bareText(args[0]), "-")) {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := bareText(args[0])
	a.All = a.All || match.InList(textual, name)
	if len(args) > 1 {
		a.calls = append(a.calls, args)
	}
	sets := name == "" || match.InList(setters, name)
	if sets && match.InList(" printf print ", name) && len(args) > 1 {
		first := leading(args[1].Parts)
		sets = first == match.Hole || strings.HasPrefix(first, "-v")
	}
	if !sets {
		return
	}
	for _, arg := range args[1:] {
		text := bareText(arg)
		a.All = a.All || name != "" && (text == "" && len(arg.Parts) > 0 ||
			strings.ContainsAny(text, "{*?") && !strings.Contains(text, "="))
		set, val, _ := strings.Cut(strings.TrimPrefix(text, "-v"), "=")
		set, _, _ = strings.Cut(strings.TrimSuffix(set, "+"), "[")
		a.note(set, 2, val)
	}
}

// Setters are the builtins that assign to what their words name, and those that run a text.
const (
	setters = " read mapfile readarray getopts unset wait printf print vared zparseopts " +
		"declare typeset local export readonly "
	textual = " eval . source "
)
