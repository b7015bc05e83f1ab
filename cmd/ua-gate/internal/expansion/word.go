package expansion

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
)

// Fields appends to all what one word becomes as the shell expands it for a command's
// arguments. What runs in it goes to parts.
func (x *Expander) Fields(all []shell.Word, src *syntax.Word, sc *shell.Scope,
	parts *[]finding.Part) []shell.Word {
	if len(src.Parts) == 1 {
		if l, ok := src.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(l.Value, "\\{*?[") {
			return append(all, shell.Word{Text: l.Value, Src: src})
		}
	}
	braced := *src
	if !syntax.SplitBraces(&braced) {
		return append(all, x.expand(src, sc, parts)...)
	}
	words, ok := braces(&braced)
	if !ok {
		return append(all, shell.Word{Text: match.Hole, Src: src, Multi: true})
	}
	before := len(all)
	for _, b := range words {
		all = append(all, x.expand(b, sc, parts)...)
	}
	for i := before; i < len(all); i++ {
		all[i].Src = src
	}
	return all
}

// expand returns fields for a word without braces.
func (x *Expander) expand(src *syntax.Word, sc *shell.Scope, parts *[]finding.Part) []shell.Word {
	b := fieldBuilder{w: x, sc: sc, parts: parts}
	b.cur.Src = src
	for _, p := range src.Parts {
		b.part(p, false)
	}
	return b.finish()
}

// Single expands a word that is one word whatever happens: an assigned value,
// a here-document, the target of a redirection.
func (x *Expander) Single(src *syntax.Word, sc *shell.Scope, parts *[]finding.Part) shell.Word {
	if src == nil {
		return shell.Word{}
	}
	b := fieldBuilder{w: x, sc: sc, parts: parts, whole: true}
	b.cur.Src = src
	for _, p := range src.Parts {
		b.part(p, false)
	}
	return b.cur
}

// Hdoc expands a here-document's body, which is read as if in double quotes.
func (x *Expander) Hdoc(r *syntax.Redirect, sc *shell.Scope, parts *[]finding.Part) shell.Word {
	b := fieldBuilder{w: x, sc: sc, parts: parts, whole: true}
	if r.Hdoc == nil {
		return b.cur
	}
	raw := quotedWord(r.Word)
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok && raw {
			b.cur.Text += l.Value
			continue
		}
		b.part(p, true)
	}
	return b.cur
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

// OtherTexts returns what a word may be as well, by the other texts of its variables.
func (x *Expander) OtherTexts(src *syntax.Word, now shell.Word, sc *shell.Scope) (texts []string) {
	if !now.Maybe || src == nil {
		return nil
	}
	for _, other := range sc.Others(src) {
		var unused []finding.Part
		texts = shell.Another(texts, x.Single(src, other, &unused).Text, now.Text)
	}
	return texts
}

// A fieldBuilder puts words together from the pieces of one.
type fieldBuilder struct {
	w     *Expander
	sc    *shell.Scope
	parts *[]finding.Part
	done  []shell.Word
	cur   shell.Word
	begun bool // cur is a word even if it stays empty
	whole bool // no splitting
}

func (b *fieldBuilder) finish() []shell.Word {
	if b.begun || b.cur.Text != "" {
		b.done = append(b.done, b.cur)
	}
	return b.done
}

func (b *fieldBuilder) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.literal(p.Value, quoted)
	case *syntax.SglQuoted:
		b.begun = true
		if p.Dollar {
			text, _ := shell.Escapes(p.Value, true)
			b.cur.Text += text
		} else {
			b.cur.Text += p.Value
		}
	case *syntax.DblQuoted:
		b.begun = true
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		v := b.w.param(p, b.sc, b.parts)
		if several(p) && len(v.List) > 0 && !b.whole {
			b.words(v)
			return
		}
		b.value(v, quoted, several(p))
	case *syntax.CmdSubst:
		b.w.Captured++ // what it prints is kept and not shown
		out := b.w.Commands(p.Stmts, b.sc, b.parts)
		b.w.Captured--
		v := shell.Value{Text: match.Hole, From: out.Bits, Cmd: true}
		if out.Known {
			v.Text = strings.TrimRight(out.Text, "\n")
		}
		b.value(v, quoted, false)
	case *syntax.ProcSubst:
		out := b.w.Commands(p.Stmts, b.sc, b.parts)
		// The word is a path; what can be read there is the output of the commands.
		b.cur.Text += "/dev/fd/" + match.Hole
		if p.Op == syntax.CmdIn && out.Known && b.cur.Text == "/dev/fd/"+match.Hole {
			b.cur.Printed = out.Text
		}
		b.cur.From |= out.Bits | shell.FromPipe
	case *syntax.ArithmExp:
		b.w.Inside(p, b.sc, b.parts)
		b.cur.Text += match.Hole
	case *syntax.ExtGlob:
		b.cur.Text += "*"
		if !everyMatch(p) {
			b.cur.Text += match.Hole
		}
		b.cur.Glob = true
	default:
		b.cur.Text, b.cur.Multi = b.cur.Text+match.Hole, true
	}
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

// words adds the words of an array, of which each may be missing or another one.
func (b *fieldBuilder) words(v shell.Value) {
	for i, text := range v.List {
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
