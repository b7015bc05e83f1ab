// Package expansion makes words of what stands in a script, as the shell expands it: variables,
// braces, quotes, assignments. The commands in a $(…) are handed to whoever reads the whole.
package expansion

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
)

// An Expander makes words of what a script says, as the shell expands it.
type Expander struct {
	program.Session
	// judges what $(…) holds
	Commands func(list []*syntax.Stmt, sc *shell.Scope, parts *[]finding.Part) shell.Stream
	// the text that positions refer to; "" inside other texts
	Source string
	// expansions and compound commands inside each other
	Nested int
}

// Fact adds a part that is no simple command.
func (x *Expander) Fact(parts *[]finding.Part, at syntax.Node, act judgement.Act, row,
	reason string) *finding.Part {
	var p finding.Part
	p.Add(act, row, reason)
	x.Mark(&p, at)
	*parts = append(*parts, p)
	return &(*parts)[len(*parts)-1]
}

// Unread adds a part that stands for commands which nobody has read.
func (x *Expander) Unread(parts *[]finding.Part, at syntax.Node, row, reason string) {
	x.Fact(parts, at, judgement.RunsHidden, row, reason).Unread = true
}

// Mark notes where in the command as written the part stands.
func (x *Expander) Mark(p *finding.Part, at syntax.Node) {
	if at == nil || x.Source == "" {
		return
	}
	from, to := at.Pos(), at.End()
	p.Line, p.Col = int(from.Line()), int(from.Col())
	if i, j := int(from.Offset()), int(to.Offset()); i < j && j <= len(x.Source) {
		p.Text = x.Source[i:j]
	}
}

// MaxNested bounds expansions inside expansions and compound commands inside each other.
const MaxNested = 50

// braces expands the brace expressions of a word that SplitBraces has been
// over. It reports false if there would be too many words.
func braces(src *syntax.Word) ([]*syntax.Word, bool) {
	words := []*syntax.Word{{}}
	for _, p := range src.Parts {
		var alts [][]syntax.WordPart
		if b, ok := p.(*syntax.BraceExp); ok {
			elems, ok := braceElems(b)
			if !ok {
				return nil, false
			}
			alts = elems
		} else {
			alts = [][]syntax.WordPart{{p}}
		}
		if len(words)*len(alts) > shell.MaxBraces {
			return nil, false
		}
		next := make([]*syntax.Word, 0, len(words)*len(alts))
		for _, w := range words {
			for _, a := range alts {
				parts := append(append([]syntax.WordPart(nil), w.Parts...), a...)
				next = append(next, &syntax.Word{Parts: parts})
			}
		}
		words = next
	}
	return words, true
}

func braceElems(b *syntax.BraceExp) (alts [][]syntax.WordPart, ok bool) {
	if b.Sequence {
		// What counts of a sequence is where it begins and ends: the values
		// between are numbers or letters.
		for _, e := range b.Elems[:min(2, len(b.Elems))] {
			alts = append(alts, e.Parts)
		}
		return alts, true
	}
	for _, e := range b.Elems {
		words, ok := braces(e)
		if !ok {
			return nil, false
		}
		for _, w := range words {
			alts = append(alts, w.Parts)
		}
	}
	return alts, len(alts) <= shell.MaxBraces
}

// everyMatch reports whether an extended pattern matches all names: one of its alternatives does,
// or what !(.git|.env) leaves out are names that no pattern matches without a dot.
func everyMatch(p *syntax.ExtGlob) bool {
	list := strings.Split(p.Pattern.Value, "|")
	if p.Op == syntax.GlobExcept {
		return !slices.ContainsFunc(list, func(name string) bool {
			return name != "" && name[0] != '.'
		})
	}
	return slices.ContainsFunc(list, match.EveryName)
}
