package classify

import (
	"bytes"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/machine"
)

// mutants are other ways to write a command that do the same, by what was changed.
// A mutation that does not fit a command gives none.
func mutants(command string) map[string]string {
	out := map[string]string{
		"before":  "true; " + command,
		"comment": "# a comment\n" + command,
		"strict":  "set -eu\n" + command,
		"after":   command + "\ntrue",
		"group":   "{ " + command + "\n}",
		"spaces":  "  " + command + "\n\n",
	}
	for name, change := range map[string]func(f *syntax.File) bool{"quoted": quoteWords,
		"renamed": renameVariables, "printed": func(*syntax.File) bool { return true }} {
		f, err := syntax.NewParser().Parse(strings.NewReader(command), "")
		if err != nil || !change(f) {
			continue
		}
		var b bytes.Buffer
		if syntax.NewPrinter(syntax.SpaceRedirects(name == "quoted")).Print(&b, f) == nil {
			out[name] = b.String()
		}
	}
	if quoted, err := syntax.Quote(command, syntax.LangBash); err == nil &&
		!strings.Contains(command, "\n") {
		out["bash -c"] = "bash -c " + quoted
	}
	return out
}

// quoteWords puts the arguments that are plain words in quotes.
func quoteWords(f *syntax.File) (changed bool) {
	syntax.Walk(f, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		for i, arg := range call.Args {
			text := arg.Lit()
			if i == 0 || text == "" || strings.ContainsAny(text, "~*?[]{}\\=$!#") {
				continue
			}
			arg.Parts = []syntax.WordPart{&syntax.SglQuoted{Value: text}}
			changed = true
		}
		return true
	})
	return changed
}

// renameVariables gives other names to the variables that a command sets.
func renameVariables(f *syntax.File) (changed bool) {
	own := map[string]bool{}
	known := &machine.State{Options: &here}
	plain := true
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if _, known := known.Variable(nameOf(n.Name)); n.Name != nil && !known && n.Index == nil &&
				n.Array == nil {
				own[n.Name.Value] = true
			}
		case *syntax.WordIter:
			_, known := known.Variable(n.Name.Value)
			own[n.Name.Value] = !known
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause,
			*syntax.DeclClause, *syntax.TestClause, *syntax.SglQuoted:
			plain = false // names stand in texts too
		case *syntax.CallExpr: // a variable of one command is its program's
			plain = plain && (len(n.Assigns) == 0 || len(n.Args) == 0)
		}
		return true
	})
	if !plain || len(own) == 0 {
		return false
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && own[n.Name.Value] {
				n.Name.Value, changed = "other_"+n.Name.Value, true
			}
		case *syntax.WordIter:
			if own[n.Name.Value] {
				n.Name.Value, changed = "other_"+n.Name.Value, true
			}
		case *syntax.ParamExp:
			if n.Param != nil && own[n.Param.Value] {
				n.Param.Value = "other_" + n.Param.Value
				n.Short = false
			}
		}
		return true
	})
	return changed
}

func nameOf(l *syntax.Lit) string {
	if l == nil {
		return ""
	}
	return l.Value
}

// TestMutants holds that another way to write a command neither lowers a hostile
// one nor raises a harmless one.
func TestMutants(t *testing.T) {
	for _, list := range []struct {
		file    string
		hostile bool
	}{{"exam-hostile.tsv", true}, {"hostile.tsv", true}, {"exam-harmless.tsv", false},
		{"everyday.tsv", false}} {
		for i, c := range cases(t, list.file) {
			if testing.Short() && i%5 != 0 {
				continue
			}
			alone := Classify(c.command, &here)
			for how, mutant := range mutants(c.command) {
				r := Classify(mutant, &here)
				if list.hostile && r.Level < alone.Level || !list.hostile && r.Level > alone.Level {
					t.Errorf("%s: %q is %v (%s), but %q is %v (%s)", how, mutant, r.Level, r.Row, c.command,
						alone.Level, alone.Row)
				}
			}
		}
	}
}
