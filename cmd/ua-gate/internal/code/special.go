package code

import "strings"

// special reads the quotes that only one language has: Perl's q qq qw qx m s y tr, and Ruby's
// %w[…] and symbols. One without an end moves
// beyond the text.
func (x *lexer) special(glued bool) bool {
	switch x.lang.name {
	case "perl":
		return x.perlQuote(glued)
	case "ruby":
		return x.rubyQuote(glued) || x.symbol(glued)
	}
	return false
}

// lost moves beyond the text, so that nothing is said of it.
func (x *lexer) lost() bool { x.pos = len(x.text) + 1; return true }

// symbol reads :name, whose value is its name.
func (x *lexer) symbol(glued bool) bool {
	if x.text[x.pos] != ':' || strings.HasPrefix(x.rest(), "::") || x.pos+1 >= len(x.text) ||
		glued && x.value() && x.last().kind != mark {
		return false
	}
	end := x.pos + 1
	for end < len(x.text) && nameByte(x.text[end]) {
		end++
	}
	if end == x.pos+1 {
		return false
	}
	name := x.text[x.pos+1 : end]
	x.pos = end
	x.add(str, name, glued)
	return true
}

// delimited reads a text between delimiters, beginning at the first one.
func (x *lexer) delimited() (string, bool) {
	open := x.text[x.pos]
	// Brackets may be nested (perlop(1), Quote and Quote-like Operators).
	if i := strings.IndexByte("([{<", open); i >= 0 {
		end := closing(x.text, x.pos)
		if end < 0 {
			return "", false
		}
		body := x.text[x.pos+1 : end]
		x.pos = end + 1
		return body, true
	}
	from := x.pos + 1
	for x.pos = from; x.pos < len(x.text); x.pos++ {
		switch x.text[x.pos] {
		case '\\':
			x.pos++
		case open:
			x.pos++
			return x.text[from : x.pos-1], true
		}
	}
	return "", false
}

// perlQuote reads one of Perl's quote-like operators (perlop(1)).
func (x *lexer) perlQuote(glued bool) bool {
	end := x.pos
	for end < len(x.text) && x.text[end] >= 'a' && x.text[end] <= 'z' {
		end++
	}
	op := x.text[x.pos:end]
	if !strings.Contains(" q qq qw qx qr m s y tr ", " "+op+" ") || op == "" ||
		end == len(x.text) ||
		x.last().is("{") && x.text[end] == '}' || x.last().is("->") ||
		x.pos > 0 && (x.text[x.pos-1] == '%' || x.text[x.pos-1] == '@') { // a hash %s, a list @m
		return false
	}
	at := end + len(x.text[end:]) - len(strings.TrimLeft(x.text[end:], " "))
	if at == len(x.text) || nameByte(x.text[at]) || at > end && x.text[at] == '#' ||
		strings.IndexByte(",;)", x.text[at]) >= 0 || strings.HasPrefix(x.text[at:], "=>") ||
		at > end &&
			x.text[at] == '=' {
		return false
	}
	x.pos = at
	// These have patterns, which can hold code.
	if op == "s" || op == "y" || op == "tr" || op == "m" || op == "qr" {
		return x.patternOp(op, glued) || x.lost()
	}
	body, ok := x.delimited()
	if !ok {
		return x.lost()
	}
	k := str
	if op == "qx" {
		k = command
	}
	if op == "qw" {
		x.words(body, glued)
		return true
	}
	t := token{kind: k, glued: glued}
	if t.text, t.inner, ok = x.filled(body, op != "q", op == "q"); !ok {
		return x.lost()
	}
	x.done = append(x.done, t)
	return true
}

// words adds a list of texts as the brackets and commas that it stands for.
func (x *lexer) words(body string, glued bool) {
	x.add(mark, "(", glued)
	for _, w := range strings.Fields(body) {
		x.add(str, w, true)
		x.add(mark, ",", true)
	}
	x.add(mark, ")", true)
}

// patternOp reads m//, s///, y/// and the like.
func (x *lexer) patternOp(op string, glued bool) bool {
	delim := x.text[x.pos]
	first, ok := x.delimited()
	if !ok {
		return false
	}
	t := token{kind: number, text: "0", glued: glued}
	var second string
	if op == "s" || op == "y" || op == "tr" {
		if strings.IndexByte("([{<", delim) >= 0 {
			x.pos += len(x.rest()) - len(strings.TrimLeft(x.rest(), " \n"))
			if x.pos >= len(x.text) {
				return false
			}
		} else {
			x.pos-- // the delimiter in the middle ends one and begins the other
		}
		if second, ok = x.delimited(); !ok {
			return false
		}
	}
	flags := x.pos
	for x.pos < len(x.text) && nameByte(x.text[x.pos]) {
		x.pos++
	}
	e := strings.Count(x.text[flags:x.pos], "e")
	var inner []token
	switch {
	// The second e evaluates what the first one returned (perlop(1)).
	case op == "s" && e > 1:
		x.add(word, "eval", false)
	case op == "s" && e == 1:
		if inner, ok = x.nested(second); !ok {
			return false
		}
		t.inner = append(t.inner, inner)
	case op == "s":
		var more [][]token
		if _, more, ok = x.filled(second, true, false); !ok {
			return false
		}
		t.inner = append(t.inner, more...)
	}
	// Perl runs the code in such a pattern (perlre(1)), and what fills one in.
	if strings.Contains(first, "(?{") || strings.Contains(first, "(??{") {
		x.add(word, "eval", false)
	}
	if delim != '\'' && op != "y" && op != "tr" {
		_, more, ok := x.filled(first, true, false)
		if !ok {
			return false
		}
		t.inner = append(t.inner, more...)
	}
	x.done = append(x.done, t)
	return true
}

// pattern reads a pattern between slashes after the first one.
func (x *lexer) pattern(delim byte, glued bool) bool {
	from := x.pos
	for class := false; x.pos < len(x.text) && x.text[x.pos] != '\n'; x.pos++ {
		switch c := x.text[x.pos]; {
		case c == '\\':
			x.pos++
		// In JavaScript a slash inside of a class does not end the pattern.
		case c == '[':
			class = x.lang.name == "node"
		case c == ']':
			class = false
		case c == delim && !class:
			body := x.text[from:x.pos]
			x.pos++
			for x.pos < len(x.text) && nameByte(x.text[x.pos]) {
				x.pos++
			}
			t := token{kind: number, text: "0", glued: glued}
			ok := true
			if x.lang.name != "node" {
				_, t.inner, ok = x.filled(body, true, false)
			}
			if strings.Contains(body, "(?{") || strings.Contains(body, "(??{") {
				x.add(word, "eval", false)
			}
			x.done = append(x.done, t)
			return ok
		}
	}
	return false
}

// rubyQuote reads %w[…], %x{…} and the like.
func (x *lexer) rubyQuote(glued bool) bool {
	rest := x.rest()
	if rest[0] != '%' || len(rest) < 3 || x.value() && !(len(x.done) > 0 && x.last().kind == word &&
		!glued && rest[1] != ' ') {
		return false
	}
	op, at := byte('Q'), 1
	if nameByte(rest[1]) {
		op, at = rest[1], 2
	}
	// Anything else is the operator %.
	if strings.IndexByte("wWiIqQxr", op) < 0 || strings.IndexByte("([{<|!/", rest[at]) < 0 {
		return false
	}
	x.pos += at
	body, ok := x.delimited()
	if !ok {
		return x.lost()
	}
	if op == 'w' || op == 'i' || (op == 'W' || op == 'I') && !strings.Contains(body, "#") {
		x.words(body, glued)
		return true
	}
	t := token{kind: str, glued: glued}
	if op == 'x' {
		t.kind = command
	}
	if t.text, t.inner, ok = x.filled(body, op != 'q', op == 'q'); !ok {
		return x.lost()
	}
	x.done = append(x.done, t)
	return true
}
