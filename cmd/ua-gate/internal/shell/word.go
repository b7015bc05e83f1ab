package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/match"
)

// A Flow is what bytes may carry from where they come to where they go.
type Flow uint32

// Passing are the flows that go on only through programs known to pass them on.
const Passing = FromVar | FromTemp | FromFilter

const (
	FromNet     Flow = 1 << iota // another machine's answer
	FromDecode                   // what a decoder made readable
	FromSecret                   // a secret
	FromText                     // what a text tool made: tr, rev, sed, printf
	FromPipe                     // anything at all
	FromNames                    // the names of secret files
	FromVar                      // the value of a secret variable
	FromTemp                     // the name that mktemp gave, and nothing else
	FromOutside                  // names of files outside the workspace
	FromFilter                   // a list that leaves files out, or lies in a named folder
)

// Joined returns the flows of what is one of two texts or holds both: it is a list that leaves
// files out only if both are.
func (f Flow) Joined(g Flow) Flow { return (f|g)&^FromFilter | f&g&FromFilter }

// A Stream is what a command finds on its standard input or leaves on its
// output.
type Stream struct {
	Bits  Flow
	Text  string // all of it, if known
	Known bool
	Open  bool   // there is something: not the input that ua-gate's user has
	Here  bool   // it stands in the command itself, as a here-document
	File  string // the one file that it is, as named
}

// With returns the stream with more on it, of unknown text.
func (s Stream) With(t Stream) Stream {
	return Stream{Bits: s.Bits.Joined(t.Bits) &^ FromTemp, Open: true}
}

// A Word is what one word of a command becomes when the shell expands it.
type Word struct {
	Text  string // holes stand for unknown pieces
	Src   *syntax.Word
	From  Flow // what the unknown pieces may carry
	Glob  bool // it has a pattern that the shell expands
	Multi bool // an unknown piece may be several words, or none
	Subst bool // an unknown piece is what a command printed
	Maybe bool // a variable in it may have another value

	// Printed is what the commands of <(…) print, where the word is nothing else and it is known
	Printed string
}

// Lit returns a word that is known.
func Lit(text string) Word { return Word{Text: text} }

// Known reports whether the text is the word's whole value.
func (w Word) Known() bool {
	return !w.Maybe && !w.Glob && !w.Multi && !strings.Contains(w.Text, match.Hole)
}

// Plain reports whether nothing in the text is unknown, patterns apart.
func (w Word) Plain() bool { return !strings.Contains(w.Text, match.Hole) }

// Cut returns the word's text from byte i on, with all else that is known of it.
func (w Word) Cut(i int) Word {
	w.Text = w.Text[i:]
	return w
}

// With returns the word with another text, of which it is a piece.
func (w Word) With(text string) Word {
	w.Text = text
	return w
}

// UnknownName reports whether no letter in a word says which files it is.
func (w Word) UnknownName() bool {
	return !w.Plain() && strings.Trim(w.Text, "./*?"+match.Hole) == ""
}

// Unnamed reports whether a word is files of which nobody knows the names: neither letters in it
// nor where it comes from say which they are.
func (w Word) Unnamed() bool {
	return w.UnknownName() && w.From&(FromTemp|FromFilter) == 0 &&
		(w.Src == nil || !NeverEmpty(w.Src))
}

// Listed is unnamed for what is only written: one variable that the command does not set is the
// file that somebody has put there.
func (w Word) Listed() bool { return w.Unnamed() && (w.Multi || w.Subst || w.Src == nil) }

// NeverEmpty reports whether a word's variables all end the command if they are empty.
func NeverEmpty(word *syntax.Word) bool {
	sure := true
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			sure = sure && n.Exp != nil && (n.Exp.Op == syntax.ErrorUnsetOrNull ||
				n.Exp.Op == syntax.DefaultUnsetOrNull && n.Exp.Word != nil)
		case *syntax.CmdSubst:
			sure = false
		}
		return sure
	})
	return sure
}

// Temporary reports whether the word is the very name that mktemp has given.
func Temporary(wd Word) bool {
	return wd.From&FromTemp != 0 && !wd.Maybe && wd.Text == "/tmp/"+match.Hole
}

// A Value is what is known of a shell variable.
type Value struct {
	Text string
	From Flow
	Cmd  bool // it holds what a command printed

	Maybe  bool     // it may hold another text
	Others []string // and these are such
	List   []string // the words of an array, and of $@
}

// FromAll returns what several words carry: a list that leaves files out only if all are such.
func FromAll(words []Word) (from Flow) {
	lists := FromFilter
	for _, wd := range words {
		if from |= wd.From; !wd.Plain() {
			lists &= wd.From
		}
	}
	return from&^FromFilter | from&lists
}

// Join returns the words as a line, for people.
func Join(words []Word) string {
	var b strings.Builder
	for i, wd := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		text := match.Show(wd.Text)
		if strings.ContainsAny(text, " \n\t;|&'\"$") {
			text = "'" + text + "'"
		}
		b.WriteString(text)
	}
	return b.String()
}

// First returns the first of the words, or one with the text.
func First(words []Word, text string) Word {
	if len(words) > 0 {
		return words[0]
	}
	return Lit(text)
}

// MaxBraces bounds what a brace expansion may become.
const MaxBraces = 64

// MaxOlder bounds how many values of a variable are kept apart.
const MaxOlder = 8

// Another adds a text to the others that a variable may hold.
func Another(others []string, text, now string) []string {
	if text == "" || text == match.Hole || text == now || len(others) >= MaxOlder ||
		len(text) > maxValue || slices.Contains(others, text) {
		return others
	}
	return append(slices.Clip(others), text)
}

// bareText returns the text of a word without quotes, or "" where something in it is expanded.
func bareText(word *syntax.Word) string {
	if text := leading(word.Parts); !strings.HasSuffix(text, match.Hole) {
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
				return b.String() + match.Hole
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if b.WriteString(leading(p.Parts)); strings.HasSuffix(b.String(), match.Hole) {
				return b.String()
			}
		default:
			return b.String() + match.Hole
		}
	}
	return b.String()
}
