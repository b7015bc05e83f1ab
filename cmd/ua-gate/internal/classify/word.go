package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hole stands in a word's text for a piece whose value is not known. A command
// holds no NUL byte, so nothing else can be one.
const hole = "\x00"

// A word is what one word of a command becomes when the shell expands it.
type word struct {
	text  string // holes stand for unknown pieces
	src   *syntax.Word
	from  flow // what the unknown pieces may carry
	glob  bool // it has a pattern that the shell expands
	multi bool // an unknown piece may be several words, or none
	subst bool // an unknown piece is what a command printed
	maybe bool // a variable in it may have another value

	// printed is what the commands of <(…) print, where the word is nothing else and it is known
	printed string
}

func lit(text string) word { return word{text: text} }

// known reports whether the text is the word's whole value.
func (w word) known() bool {
	return !w.maybe && !w.glob && !w.multi &&
		!strings.Contains(w.text, hole)
}

// plain reports whether nothing in the text is unknown, patterns apart.
func (w word) plain() bool { return !strings.Contains(w.text, hole) }

// cut returns the word's text from byte i on, with all else that is known of it.
func (w word) cut(i int) word {
	w.text = w.text[i:]
	return w
}

// A value is what is known of a shell variable.
type value struct {
	text string
	from flow
	cmd  bool // it holds what a command printed

	maybe  bool     // it may hold another text
	others []string // and these are such
	list   []string // the words of an array, and of $@
}

// fields appends to all what one word becomes as the shell expands it for a command's
// arguments. What runs in it goes to parts.
func (w *expander) fields(all []word, src *syntax.Word, sc *scope, parts *[]Part) []word {
	if len(src.Parts) == 1 {
		if l, ok := src.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(l.Value, "\\{*?[") {
			return append(all, word{text: l.Value, src: src})
		}
	}
	braced := *src
	if !syntax.SplitBraces(&braced) {
		return append(all, w.expand(src, sc, parts)...)
	}
	words, ok := braces(&braced)
	if !ok {
		return append(all, word{text: hole, src: src, multi: true})
	}
	before := len(all)
	for _, b := range words {
		all = append(all, w.expand(b, sc, parts)...)
	}
	for i := before; i < len(all); i++ {
		all[i].src = src
	}
	return all
}

// expand returns fields for a word without braces.
func (w *expander) expand(src *syntax.Word, sc *scope, parts *[]Part) []word {
	b := fieldBuilder{w: w, sc: sc, parts: parts}
	b.cur.src = src
	for _, p := range src.Parts {
		b.part(p, false)
	}
	return b.finish()
}

// single expands a word that is one word whatever happens: an assigned value,
// a here-document, the target of a redirection.
func (w *expander) single(src *syntax.Word, sc *scope, parts *[]Part) word {
	if src == nil {
		return word{}
	}
	b := fieldBuilder{w: w, sc: sc, parts: parts, whole: true}
	b.cur.src = src
	for _, p := range src.Parts {
		b.part(p, false)
	}
	return b.cur
}

// hdoc expands a here-document's body, which is read as if in double quotes.
func (w *expander) hdoc(r *syntax.Redirect, sc *scope, parts *[]Part) word {
	b := fieldBuilder{w: w, sc: sc, parts: parts, whole: true}
	if r.Hdoc == nil {
		return b.cur
	}
	raw := quotedWord(r.Word)
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok && raw {
			b.cur.text += l.Value
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

// A fieldBuilder puts words together from the pieces of one.
type fieldBuilder struct {
	w     *expander
	sc    *scope
	parts *[]Part
	done  []word
	cur   word
	begun bool // cur is a word even if it stays empty
	whole bool // no splitting
}

func (b *fieldBuilder) finish() []word {
	if b.begun || b.cur.text != "" {
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
			text, _ := escapes(p.Value, true)
			b.cur.text += text
		} else {
			b.cur.text += p.Value
		}
	case *syntax.DblQuoted:
		b.begun = true
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		v := b.w.param(p, b.sc, b.parts)
		if several(p) && len(v.list) > 0 && !b.whole {
			b.words(v)
			return
		}
		b.value(v, quoted, several(p))
	case *syntax.CmdSubst:
		b.w.captured++ // what it prints is kept and not shown
		out := b.w.commands(p.Stmts, b.sc, b.parts)
		b.w.captured--
		v := value{text: hole, from: out.bits, cmd: true}
		if out.known {
			v.text = strings.TrimRight(out.text, "\n")
		}
		b.value(v, quoted, false)
	case *syntax.ProcSubst:
		out := b.w.commands(p.Stmts, b.sc, b.parts)
		// The word is a path; what can be read there is the output of the commands.
		b.cur.text += "/dev/fd/" + hole
		if p.Op == syntax.CmdIn && out.known && b.cur.text == "/dev/fd/"+hole {
			b.cur.printed = out.text
		}
		b.cur.from |= out.bits | fromPipe
	case *syntax.ArithmExp:
		b.w.inside(p, b.sc, b.parts)
		b.cur.text += hole
	case *syntax.ExtGlob:
		b.cur.text += "*"
		if !everyMatch(p) {
			b.cur.text += hole
		}
		b.cur.glob = true
	default:
		b.cur.text, b.cur.multi = b.cur.text+hole, true
	}
}

// literal adds text as it stands in the source.
func (b *fieldBuilder) literal(s string, quoted bool) {
	if !quoted && patterned(s) {
		b.cur.glob = true
	}
	if !strings.Contains(s, "\\") {
		b.cur.text += s
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
	b.cur.text += out.String()
}

// patterned reports whether the shell would look for files that the text matches.
func patterned(s string) bool {
	return strings.ContainsAny(s, "*?") || strings.IndexByte(s, '[') >= 0 &&
		strings.IndexByte(s, ']') > strings.IndexByte(s, '[')
}

// words adds the words of an array, of which each may be missing or another one.
func (b *fieldBuilder) words(v value) {
	for i, text := range v.list {
		if i > 0 {
			b.done = append(b.done, b.cur)
			b.cur = word{src: b.cur.src}
		}
		b.begun, b.cur.maybe = true, true
		b.cur.text += text
		b.cur.from |= v.from
	}
}

// value adds what a variable or a substitution holds, split where the shell
// splits it.
func (b *fieldBuilder) value(v value, quoted, list bool) {
	unknown := strings.Contains(v.text, hole)
	if unknown && !b.cur.plain() {
		b.cur.from = b.cur.from.joined(v.from)
	} else {
		b.cur.from |= v.from
	}
	b.cur.maybe = b.cur.maybe || v.maybe
	b.cur.subst = b.cur.subst || v.cmd && unknown
	// Between quotes a value is not split into words.
	if quoted || b.whole {
		b.begun = b.begun || quoted && !list
		b.cur.multi = b.cur.multi || list && !b.whole
		b.cur.text += v.text
		return
	}
	b.cur.multi = b.cur.multi || unknown
	b.cur.glob = b.cur.glob || patterned(v.text)
	for {
		i := strings.IndexAny(v.text, " \t\n")
		if i < 0 {
			b.cur.text += v.text
			return
		}
		b.cur.text += v.text[:i]
		v.text = v.text[i+1:]
		if b.begun || b.cur.text != "" {
			next := word{src: b.cur.src, from: b.cur.from, subst: b.cur.subst, multi: b.cur.multi,
				maybe: b.cur.maybe}
			b.done = append(b.done, b.cur)
			b.cur, b.begun = next, false
		}
	}
}

// ownJob stands for the process that the shell itself has last put in the background.
const ownJob = "%!"

// implicit returns what is known of a variable that the command did not set.
func (s *scope) implicit(name string) value {
	if name == "OLDPWD" && s.before != "" {
		return value{text: s.before}
	}
	v := value{text: implicit(name)}
	if holdsSecret(name) {
		v.from = fromVar
	}
	return v
}

// implicit returns the value of a variable that the command did not set. A home is
// written ~, which the path rules read wherever it stands.
func implicit(name string) string {
	switch name {
	case "HOME":
		return "~"
	case "IFS":
		return " \t\n"
	case "!":
		return ownJob
	case "PWD":
		return "."
	case "SHELL", "BASH":
		return "sh"
	}
	if place := usualPlace(name); place != "" {
		return place
	}
	return hole
}
