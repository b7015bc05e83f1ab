package classify

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

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
		if len(words)*len(alts) > maxBraces {
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
	return alts, len(alts) <= maxBraces
}

// ansiC decodes the inside of $'…' (bash(1), QUOTING). A NUL ends it.
func ansiC(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	out := escapes(s)
	if i := strings.IndexByte(out, 0); i >= 0 {
		out = out[:i]
	}
	return out
}

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\''\"\"??"

// escapes decodes backslash escapes as $'…', printf and echo -e know them.
func escapes(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c >= '0' && c <= '7':
			n := 0
			for k := 0; k < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7'; k++ {
				n, i = n*8+int(s[i]-'0'), i+1
			}
			i--
			out.WriteByte(byte(n))
		case c == 'x' || c == 'u' || c == 'U':
			i += hexEscape(&out, c, s[i+1:])
		case c == 'c' && i+1 < len(s):
			i++
			out.WriteByte(s[i] & 0x1f)
		default:
			if k := strings.IndexByte(simpleEscapes, c); k >= 0 && k%2 == 0 {
				out.WriteByte(simpleEscapes[k+1])
			} else {
				out.WriteByte('\\')
				out.WriteByte(c)
			}
		}
	}
	return out.String()
}

// hexEscape writes the character of \x, \u or \U and says how many digits it
// took.
func hexEscape(out *strings.Builder, kind byte, s string) int {
	most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]
	n := 0
	for n < most && n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	v, err := strconv.ParseUint(s[:n], 16, 32)
	switch {
	case err != nil:
		out.WriteByte('\\')
		out.WriteByte(kind)
	case kind == 'x':
		out.WriteByte(byte(v))
	default:
		out.Write(utf8.AppendRune(nil, rune(v)))
	}
	return n
}

// printed returns what echo or printf writes, if that is known.
func printed(name string, args []word) (text string, ok bool) {
	var vals []string
	for _, a := range args {
		if !a.known() {
			return "", false
		}
		vals = append(vals, a.text)
	}
	if name == "echo" {
		decode := false
		for len(vals) > 0 && (vals[0] == "-n" || vals[0] == "-e" || vals[0] == "-ne" ||
			vals[0] == "-en" || vals[0] == "-E") {
			decode = decode || strings.Contains(vals[0], "e")
			vals = vals[1:]
		}
		if text = strings.Join(vals, " "); decode {
			text = escapes(text)
		}
		return text + "\n", true
	}
	if len(vals) > 0 && vals[0] == "--" {
		vals = vals[1:]
	}
	if len(vals) == 0 || strings.HasPrefix(vals[0], "-") {
		return "", false
	}
	return format(vals[0], vals[1:])
}

// format returns printf's output for the verbs %s, %b, %d, %i, %c and %%, without
// widths.
func format(f string, args []string) (string, bool) {
	var out strings.Builder
	for first := true; first || len(args) > 0; first = false {
		before := len(args)
		for rest := f; rest != ""; {
			text, verb, found := strings.Cut(rest, "%")
			out.WriteString(escapes(text))
			if !found {
				break
			}
			if verb == "" || !strings.ContainsRune("sbdic%", rune(verb[0])) {
				return "", false
			}
			rest = verb[1:]
			if verb[0] == '%' {
				out.WriteByte('%')
				continue
			}
			if len(args) == 0 {
				continue
			}
			if verb[0] == 'b' {
				out.WriteString(escapes(args[0]))
			} else {
				out.WriteString(args[0])
			}
			args = args[1:]
		}
		if len(args) == before || out.Len() > MaxBytes {
			break
		}
	}
	return out.String(), true
}
