package classify

import "strings"

// A fishScript is the text of a command for fish while it is written again as the other
// shells would have it (fish(1), "The fish language"). What has no counterpart makes
// lost true: then nothing is known of the command.
type fishScript struct {
	text  string
	pos   int
	depth int
	lost  bool
	keeps bool // it sets a variable for every later shell
}

// lose gives the script up: it is judged as one that nobody has read.
func (f *fishScript) lose() string {
	f.lost = true
	f.pos = len(f.text)
	return ""
}

func (f *fishScript) peek(n int) byte {
	if f.pos+n < len(f.text) {
		return f.text[f.pos+n]
	}
	return 0
}

// blanks passes blanks, comments and lines that go on.
func (f *fishScript) blanks() {
	for f.pos < len(f.text) {
		switch c := f.text[f.pos]; {
		case c == ' ' || c == '\t':
			f.pos++
		case c == '\\' && f.peek(1) == '\n':
			f.pos += 2
		case c == '#':
			for f.pos < len(f.text) && f.text[f.pos] != '\n' {
				f.pos++
			}
		default:
			return
		}
	}
}

// ends says whether the byte ends a word.
func fishEnds(c byte) bool { return strings.IndexByte(" \t\n;&|<>)", c) >= 0 || c == 0 }

// word reads one word and gives it as the other shells write it; plain is its text if
// nothing in it is expanded.
func (f *fishScript) word() (out, plain string) {
	var b, p strings.Builder
	known := true
	for f.pos < len(f.text) && !f.lost {
		c := f.text[f.pos]
		switch {
		case fishEnds(c):
			if known {
				plain = p.String()
			}
			return b.String(), plain
		case c == '\'':
			text := f.single()
			p.WriteString(text)
			b.WriteString("'" + strings.ReplaceAll(text, "'", `'\''`) + "'")
		case c == '"':
			known = false
			text, fixed := f.double()
			if fixed {
				known = true
				p.WriteString(strings.Trim(text, `"`))
			}
			b.WriteString(text)
		case c == '$':
			known = false
			text := f.variable()
			if text == "${@}" {
				text = `"${@}"`
			}
			b.WriteString(text)
		case c == '(':
			known = false
			b.WriteString(f.substitution())
		case c == '\\':
			b.WriteString(f.escape())
			known = false
		case c == '`':
			b.WriteString("\\`")
			f.pos++
		default:
			known = known && strings.IndexByte("*?{}~[", c) < 0
			p.WriteByte(c)
			b.WriteByte(c)
			f.pos++
		}
	}
	if known {
		plain = p.String()
	}
	return b.String(), plain
}

// single reads a text in single quotes, in which a backslash escapes a quote or itself.
func (f *fishScript) single() string {
	var b strings.Builder
	for f.pos++; f.pos < len(f.text); f.pos++ {
		switch c := f.text[f.pos]; {
		case c == '\'':
			f.pos++
			return b.String()
		case c == '\\' && (f.peek(1) == '\'' || f.peek(1) == '\\'):
			f.pos++
			b.WriteByte(f.text[f.pos])
		default:
			b.WriteByte(c)
		}
	}
	return f.lose()
}

// double reads a text in double quotes. It says whether nothing in it is expanded.
func (f *fishScript) double() (string, bool) {
	var b strings.Builder
	fixed := true
	b.WriteByte('"')
	for f.pos++; f.pos < len(f.text) && !f.lost; {
		switch c := f.text[f.pos]; {
		case c == '"':
			f.pos++
			b.WriteByte('"')
			return b.String(), fixed
		case c == '\\' && strings.IndexByte("\"$\\\n", f.peek(1)) >= 0 && f.peek(1) != 0:
			b.WriteString(f.text[f.pos : f.pos+2])
			f.pos += 2
			fixed = false
		case c == '\\':
			b.WriteString(`\\`)
			f.pos++
			fixed = false
		case c == '$' && f.peek(1) == '(':
			f.pos++
			b.WriteString(f.substitution())
			fixed = false
		case c == '$':
			b.WriteString(f.variable())
			fixed = false
		case c == '`':
			b.WriteString("\\`")
			f.pos++
			fixed = false
		default:
			b.WriteByte(c)
			f.pos++
		}
	}
	return f.lose(), false
}

// variable reads $NAME or $NAME[INDEX].
func (f *fishScript) variable() string {
	start := f.pos + 1
	if f.peek(1) == '(' { // $(…) is (…)
		f.pos++
		return f.substitution()
	}
	for f.pos = start; f.pos < len(f.text) && nameByteOf(f.text[f.pos]); f.pos++ {
	}
	name := f.text[start:f.pos]
	index := ""
	if f.peek(0) == '[' {
		end := strings.IndexByte(f.text[f.pos:], ']')
		if end < 0 || strings.ContainsAny(f.text[f.pos:f.pos+end], "()\"'\\") {
			return f.lose()
		}
		index = f.text[f.pos+1 : f.pos+end]
		f.pos += end + 1
	}
	switch name {
	case "", "history":
		return f.lose()
	case "argv":
		if index != "" && strings.Trim(index, "123456789") == "" && len(index) == 1 {
			return "${" + index + "}"
		}
		return "${@}"
	case "status", "pipestatus":
		return "$?"
	case "fish_pid", "last_pid":
		return "$$"
	}
	return "${" + name + "}"
}

func nameByteOf(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// substitution reads (COMMANDS), perhaps with an index behind it.
func (f *fishScript) substitution() string {
	if f.depth++; f.depth > maxFish {
		return f.lose()
	}
	f.pos++
	text := f.list(true)
	f.depth--
	if f.peek(0) != ')' {
		return f.lose()
	}
	f.pos++
	if f.peek(0) == '[' {
		end := strings.IndexByte(f.text[f.pos:], ']')
		if end < 0 || strings.ContainsAny(f.text[f.pos:f.pos+end], "()\"'\\$") {
			return f.lose()
		}
		f.pos += end + 1
	}
	return "$(" + text + "\n)"
}

// escape reads a backslash outside quotes.
func (f *fishScript) escape() string {
	c := f.peek(1)
	digits := ""
	switch {
	case c == 0 || c == 'c':
		return f.lose()
	case c == '\n':
		f.pos += 2
		return ""
	case strings.IndexByte("abefnrtv", c) >= 0:
		f.pos += 2
		return `$'\` + string(c) + `'`
	case c == 'x' || c == 'X' || c == 'u' || c == 'U':
		digits = "0123456789abcdefABCDEF"
		f.pos += 2
	case c >= '0' && c <= '7':
		digits = "01234567"
		f.pos++
		c = 0
	default:
		f.pos += 2
		return `\` + string(c)
	}
	start := f.pos
	most := map[byte]int{'x': 2, 'X': 2, 'u': 4, 'U': 8, 0: 3}[c]
	for f.pos < len(f.text) && f.pos-start < most && strings.IndexByte(digits, f.text[f.pos]) >= 0 {
		f.pos++
	}
	if start == f.pos {
		return f.lose()
	}
	kind := ""
	if c != 0 {
		kind = strings.Replace(string(c), "X", "x", 1)
	}
	return `$'\` + kind + f.text[start:f.pos] + `'`
}

// redirection reads <, > and their like with the word behind them, if one stands here.
// A digit before it is its descriptor.
func (f *fishScript) redirection() (out string, is bool) {
	at := f.pos
	for f.peek(0) >= '0' && f.peek(0) <= '9' {
		f.pos++
	}
	fd := f.text[at:f.pos]
	switch c := f.peek(0); {
	case c == '&' && f.peek(1) == '>' && fd == "":
		f.pos += 2
		out = "&>"
	case c == '>':
		f.pos++
		out = fd + ">"
	case c == '<':
		f.pos++
		out = fd + "<"
	default:
		f.pos = at
		return "", false
	}
	if f.peek(0) == '|' && strings.HasSuffix(out, ">") { // 2>| is a pipe
		f.pos = at
		return "", false
	}
	switch c := f.peek(0); {
	case c == '>' && strings.HasSuffix(out, ">"):
		f.pos++
		out += ">"
	case c == '?':
		f.pos++
	case c == '&':
		f.pos++
		out += "&"
	}
	f.blanks()
	to, _ := f.word()
	if to == "" {
		f.lose()
	}
	return out + " " + to, true
}
