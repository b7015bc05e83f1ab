package expansion

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
)

// A fieldBuilder puts words together from the pieces of one.
type fieldBuilder struct {
	x     *Expander
	sc    *shell.Scope
	parts *[]finding.Part
	done  []shell.Word
	cur   shell.Word
	begun bool // cur is a word even if it stays empty
	whole bool // no splitting

	pieces int // of which the word is made
}

// maxPieces bounds them.
const maxPieces = 2048

func (b *fieldBuilder) finish() []shell.Word {
	if b.begun || b.cur.Text != "" {
		b.done = append(b.done, b.cur)
	}
	return b.done
}

// literal adds text as it stands in the source.
func (b *fieldBuilder) literal(s string, quoted bool) {
	if !quoted && match.Patterned(s) {
		b.cur.Glob = true
	}
	if !strings.Contains(s, "\\") {
		b.cur.Text += s
		return
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\' || i+1 == len(s):
			out.WriteByte(s[i])
		case s[i+1] == '\n':
			i++
		case quoted && !strings.ContainsRune("$`\"\\", rune(s[i+1])):
			out.WriteByte('\\')
		default:
			i++
			out.WriteByte(s[i])
		}
	}
	b.cur.Text += out.String()
}

// MaxExpanded bounds the bytes of values that the expansions of a command add up to: x=$x$x makes
// twice as many each time. What is beyond is not known.
const MaxExpanded = 4 * shell.MaxBytes

// grows counts the bytes of a value, and reports whether they are still known.
func (b *fieldBuilder) grows(text string) bool {
	b.x.Expanded += len(text) + 1
	return b.x.Expanded <= MaxExpanded
}

// words adds the words of an array, of which each may be missing or another one.
func (b *fieldBuilder) words(v shell.Value) {
	for i, text := range v.List {
		if !b.grows(text) {
			b.cur.Text, b.cur.Multi = b.cur.Text+match.Hole, true
			return
		}
		if i > 0 {
			b.done = append(b.done, b.cur)
			b.cur = shell.Word{Src: b.cur.Src}
		}
		b.begun, b.cur.Maybe = true, true
		b.cur.Text += text
		b.cur.From |= v.From
	}
}

// value adds what a variable or a substitution holds, split where the shell
// splits it.
func (b *fieldBuilder) value(v shell.Value, quoted, list bool) {
	if !b.grows(v.Text) {
		v = shell.Value{Text: match.Hole, From: v.From, Cmd: v.Cmd, Maybe: true}
	}
	unknown := strings.Contains(v.Text, match.Hole)
	if unknown && !b.cur.Plain() {
		b.cur.From = b.cur.From.Joined(v.From)
	} else {
		b.cur.From |= v.From
	}
	b.cur.Maybe = b.cur.Maybe || v.Maybe
	b.cur.Subst = b.cur.Subst || v.Cmd && unknown
	// Between quotes a value is not split into words.
	if quoted || b.whole {
		b.begun = b.begun || quoted && !list
		b.cur.Multi = b.cur.Multi || list && !b.whole
		b.cur.Text += v.Text
		return
	}
	b.cur.Multi = b.cur.Multi || unknown
	b.cur.Glob = b.cur.Glob || match.Patterned(v.Text)
	for {
		i := strings.IndexAny(v.Text, " \t\n")
		if i < 0 {
			b.cur.Text += v.Text
			return
		}
		b.cur.Text += v.Text[:i]
		v.Text = v.Text[i+1:]
		if b.begun || b.cur.Text != "" {
			next := shell.Word{Src: b.cur.Src, From: b.cur.From, Subst: b.cur.Subst, Multi: b.cur.Multi,
				Maybe: b.cur.Maybe}
			b.done = append(b.done, b.cur)
			b.cur, b.begun = next, false
		}
	}
}

func quotedWord(src *syntax.Word) bool {
	for _, p := range src.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, "\\") {
			return true
		}
	}
	return false
}

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

// several reports whether an expansion may be several words, whatever quotes are around it.
func several(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Names != 0 || p.Param.Value == "@" || p.Param.Value == "*" {
		return true
	}
	ix, ok := p.Index.(*syntax.Word)
	return ok && (ix.Lit() == "@" || ix.Lit() == "*")
}

func arithmetic(node syntax.Node) bool {
	switch node.(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause,
		*syntax.CStyleLoop:
		return true
	}
	return false
}

// ofZsh is an expansion as zsh alone has it, which is not read: some run a text.
func (x *Expander) ofZsh(p *syntax.ParamExp, parts *[]finding.Part) shell.Value {
	x.Unread(parts, p, "dialect:zsh", "an expansion of zsh, which is not read")
	return shell.Value{Text: match.Hole}
}

// processIn is the rule for <(…) and >(…) in the word of an expansion. The parser takes
// them for text, and the shell runs them unless the expansion is quoted.
func (x *Expander) processIn(p *syntax.ParamExp, src *syntax.Word, parts *[]finding.Part) {
	if src == nil {
		return
	}
	for _, part := range src.Parts {
		if l, ok := part.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") ||
			strings.Contains(l.Value, ">(")) {
			x.Unread(parts, p, "word:process", "commands in <(…) in an expansion's word")
		}
	}
}

// flaggedIndex is the rule for a subscript of zsh with flags, ${x[(r)PATTERN]}: the parser
// may not give the commands in its pattern.
func (x *Expander) flaggedIndex(p, index syntax.Node, parts *[]finding.Part) {
	syntax.Walk(index, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Lit:
			if shell.Substitutes(n.Value) {
				x.Fact(parts, p, judgement.RunsHidden, "word:subscript", "a subscript that runs a command")
			}
		}
		return true
	})
}
