package plain

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hole stands in a word for what an expansion makes, which may be any text.
const hole = "\x00"

// A word is what a shell makes of one, as far as that is known.
type word struct {
	text string
	glob bool // it may become other words that begin alike, or several
	at   int  // where the first character of a glob is
	open bool // it may become several words, of which only the first begins so
	any  bool // what an expansion makes of it may be the path of any file
}

// loose reports whether the word may become an option, or several words.
func (w *word) loose() bool {
	return w.open || strings.HasPrefix(w.text, hole) || w.glob && w.at == 0 && w.text != "["
}

// word returns what every shell reads a word as. No file that a glob finds may be taken for an
// option behind the glob's own dash, unless it is the value of a long one.
func (r *reading) word(w *syntax.Word) (wd word, ok bool) {
	if w == nil {
		return wd, false
	}
	var b strings.Builder
	short := false // a subscript or a modifier of zsh may follow
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if len(w.Parts) == 1 && strings.Contains(" ! = == + ; ", " "+p.Value+" ") {
				return word{text: p.Value}, true
			}
			if short && follows(p.Value) || !wd.bare(&b, p.Value) {
				return wd, false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return wd, false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar || !r.quoted(&wd, &b, p.Parts) {
				return wd, false
			}
		default:
			if !r.expansion(&wd, &b, part, false) {
				return wd, false
			}
		}
		short = isShort(part)
	}
	wd.text = b.String()
	return wd, !wd.glob || wd.at == 0 || !strings.ContainsAny(wd.text[:1], "-+") ||
		strings.HasPrefix(wd.text, "--") && strings.Contains(wd.text[:wd.at], "=")
}

// isShort reports whether the part is $NAME.
func isShort(part syntax.WordPart) bool {
	p, is := part.(*syntax.ParamExp)
	return is && p.Short
}

// follows reports whether zsh takes a text behind $NAME for a part of the expansion.
func follows(text string) bool {
	return text[0] == '[' || text[0] == ':' && len(text) > 1 && text[1] > ' ' && text[1] != '/'
}

// quoted appends what stands between double quotes.
func (r *reading) quoted(wd *word, b *strings.Builder, parts []syntax.WordPart) bool {
	for i, part := range parts {
		lit, is := part.(*syntax.Lit)
		if is && (i > 0 && isShort(parts[i-1]) && follows(lit.Value) || !quoted(b, lit.Value)) ||
			!is && !r.expansion(wd, b, part, true) {
			return false
		}
	}
	return true
}

// expansion appends what an expansion makes. It fails where that runs what is no plain reader.
func (r *reading) expansion(wd *word, b *strings.Builder, part syntax.WordPart, quoted bool) bool {
	text := hole
	switch p := part.(type) {
	case *syntax.ParamExp:
		return r.parameter(wd, b, p, quoted)
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar || !r.statements(p.Stmts) {
			return false
		}
		wd.open = wd.open || !quoted
		wd.any = wd.any || len(p.Stmts) != 1 || !names(p.Stmts[0])
	case *syntax.ProcSubst:
		if p.Op != syntax.CmdIn || !r.statements(p.Stmts) {
			return false
		}
		text = "/" + hole
	case *syntax.ArithmExp:
		if !r.number(p.X) {
			return false
		}
		text = "0" + hole
	default:
		return false
	}
	b.WriteString(text)
	return true
}

// places and numbers are variables of whose value the beginning is known.
const (
	places  = " HOME PWD OLDPWD "
	numbers = " ? $ # UID EUID PPID USER LOGNAME HOSTNAME RANDOM SECONDS OSTYPE "
)

// parameter appends the value of a variable.
func (r *reading) parameter(wd *word, b *strings.Builder, p *syntax.ParamExp, quoted bool) bool {
	name := p.Param.Value
	if p.Excl || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 ||
		p.Flags != nil || strings.ContainsAny(name, "@*!-") {
		return false
	}
	value, is := r.vars[name]
	switch {
	case p.Length || strings.Contains(numbers, " "+name+" "):
		value, is = word{text: "0" + hole}, true
	case strings.Contains(places, " "+name+" "):
		value, is = word{text: "/" + hole, open: name != "HOME", any: name == "OLDPWD"}, true
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix,
			syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		default:
			return false
		}
		if is = false; p.Exp.Word != nil && !r.known(p.Exp.Word) {
			return false
		}
	}
	if !is {
		value = word{text: hole, open: true, any: p.Exp != nil || !r.literal[name]}
	}
	wd.any = wd.any || value.any
	text := value.text
	if value.glob { // one of the files
		text = text[:value.at] + hole
	}
	if !quoted && (value.open || value.glob || strings.ContainsAny(text, " \t\n*?[")) {
		wd.open = true
	}
	b.WriteString(text)
	return true
}

// number reports whether an arithmetic expression has only numbers that stand in it, or in the
// loop around: the value of another variable may be code.
func (r *reading) number(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		w, ok := r.word(x)
		return ok && isKind("N", w)
	case *syntax.ParenArithm:
		return r.number(x.X)
	case *syntax.UnaryArithm:
		return (x.Op == syntax.Minus || x.Op == syntax.Plus) && r.number(x.X)
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Add, syntax.Sub, syntax.Mul, syntax.Quo, syntax.Rem, syntax.Pow:
			return r.number(x.X) && r.number(x.Y)
		}
	}
	return false
}

// bare appends what an unquoted text stands for. It fails for a character with a meaning to a
// shell, except for those of globs and a tilde in front of a slash. The tilde and caret of a
// git revision are of globs in a zsh that is told so.
func (w *word) bare(b *strings.Builder, s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		first := b.Len() == 0
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("_./-+,:@%", c) >= 0, c == '=' && !first,
			c == '~' && first && (i+1 == len(s) || s[i+1] == '/'):
		case strings.IndexByte("*?[]", c) >= 0, strings.IndexByte("~^", c) >= 0 && !first:
			if !w.glob && c != ']' {
				w.glob, w.at = true, b.Len()
			}
		case c == '\\' && i+1 < len(s) && s[i+1] >= ' ' && s[i+1] < 0x7f:
			i++
			c = s[i]
		case strings.HasPrefix(s[i:], "{}"):
			i++
			b.WriteByte(c)
			c = '}'
		default:
			return false
		}
		b.WriteByte(c)
	}
	return true
}

// quoted appends what a text between double quotes stands for.
func quoted(b *strings.Builder, s string) bool {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$' && i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '/' && s[i+1] != ')' &&
			s[i+1] != '|' || s[i] == '`':
			return false
		case s[i] != '\\':
		case i+1 == len(s) || s[i+1] == '\n':
			return false
		case strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
		}
		b.WriteByte(s[i])
	}
	return true
}
