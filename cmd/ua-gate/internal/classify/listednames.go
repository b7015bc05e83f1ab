package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mentioned returns the flows of a text that has a listed name in it and is another one.
func mentioned(from flow) flow { return from &^ fromWhole }

// beforeName reports whether a listed name stays one behind the text: behind nothing, ./ or what
// dd calls the file by that it writes.
func beforeName(text string) bool { return inList(" of= ./ of=./ ", text) || text == "" }

// name returns what a value carries that goes into the word: the name of a listed file stays one
// at the word's beginning, behind a blank and behind ./ alone.
func (b *fieldBuilder) name(from flow) flow {
	if from&fromWhole == 0 {
		return from
	}
	before := b.cur.text
	if !beforeName(before) && !strings.HasSuffix(before, " ") &&
		!strings.HasSuffix(before, "\n") {
		return mentioned(from)
	}
	b.named = true
	return from
}

// behindName is the rule for a piece that follows a listed name: it makes another text of it.
func (b *fieldBuilder) behindName(p syntax.WordPart) {
	if !b.named {
		return
	}
	switch p := p.(type) {
	case *syntax.Lit:
		if strings.HasPrefix(p.Value, " ") || strings.HasPrefix(p.Value, "\n") {
			b.named = false
			return
		}
	case *syntax.DblQuoted:
		return // each of its pieces is one
	}
	b.cur.from, b.named = mentioned(b.cur.from), false
}

// changesName reports whether an expansion changes a name that the variable holds, other than by
// taking ./ away.
func changesName(p *syntax.ParamExp) bool {
	if p.Repl != nil || len(p.Modifiers) > 0 || p.Excl || p.Slice != nil && !several(p) {
		return true
	}
	if p.Exp == nil {
		return false
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset,
		syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return false
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return p.Exp.Word == nil || p.Exp.Word.Lit() != "./"
	}
	return true
}

// passesNames is the rule for what passes on lines of a list of files.
func (a *argv) passesNames() {
	if inList(" echo printf print ", a.name) {
		for _, wd := range a.words {
			a.out |= wd.from & fromWhole
		}
	}
	if inList(" rg ag ack grep egrep fgrep cat head tail shuf sort uniq tac tee cut xargs comm "+
		"column realpath readlink tr sed awk gawk mawk ", a.name) && !a.makesNames() {
		a.out |= a.in.bits & fromWhole
		for _, wd := range a.words {
			if strings.HasPrefix(wd.text, "/dev/fd/") {
				a.out |= wd.from & fromWhole
			}
		}
	}
}

// makesNames reports whether a script of sed, awk or Perl makes other texts of the lines that it
// prints. To take something from their beginnings leaves a name.
func (a *argv) makesNames() bool {
	for _, wd := range a.words {
		text := strings.TrimSpace(wd.text)
		switch {
		case a.name == "sed" && len(text) > 2 && text[0] == 's' && text[2] != '^',
			a.name == "sed" && strings.Contains(text, ";s"), strings.ContainsAny(text, `"'`),
			a.name == "perl":
			return true
		}
	}
	return false
}
