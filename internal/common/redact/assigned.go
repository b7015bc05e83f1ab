package redact

import "bytes"

// An assignment is how a value is given to a name that suggests a secret.
type assignment struct {
	shouts   bool // NAME=value, as in an environment or its file
	option   bool // --name=value
	quoted   bool
	password bool // the name speaks of a password
}

// assigned matches the value that is assigned to a name: what follows the word
// in it, perhaps a quote, = or :, perhaps a quote and "Bearer", and the value.
func (s *Stream) assigned(p *pattern, w []byte, at, rest int, final bool) match {
	a := assignment{password: p.prefix == "passw" || p.prefix == "passphrase"}
	i := s.upTo(w, rest, maxName, func(c byte) bool { return s.set.classes[c]&word != 0 })
	a.shouts = bytes.Equal(w[at:i], bytes.ToUpper(w[at:i]))
	a.option = at > 0 && w[at-1] == '-'
	i = s.upTo(w, i, 2, func(c byte) bool { return c == '\\' || c == '"' || c == '\'' || c == ']' })
	tight := i
	i = s.spaces(w, i)
	op := i
	i = s.upTo(w, i, 3, func(c byte) bool { return c == '=' || c == ':' || c == '>' })
	if i == op && i < len(w) {
		return match{}
	}
	a.shouts = a.shouts && op == tight && i == op+1 && i <= len(w) && w[op] == '='
	a.option = a.option && op == tight
	open := s.spaces(w, i)
	if open != i {
		a.shouts = false
	}
	i = s.upTo(w, open, 2, func(c byte) bool { return c == '\\' || c == '"' || c == '\'' || c == '`' })
	a.quoted = i != open
	for _, scheme := range []string{"bearer ", "basic ", "token "} {
		if n := len(scheme); len(w) >= i+n && bytes.EqualFold(w[i:i+n], []byte(scheme)) {
			i += n
		}
	}
	if i >= len(w) {
		return match{outcome: wait}
	}
	end := i
	for end < min(len(w), i+maxRun) && isValue(w[end]) {
		end++
	}
	if end < len(w) && w[end] == '(' {
		return match{}
	}
	return decide(end, w, i, final, base64s|dotted, a.secret)
}

// upTo is the place behind at most n bytes from i on that all satisfy ok.
func (s *Stream) upTo(w []byte, i, n int, ok func(byte) bool) int {
	for end := min(len(w), i+n); i < end && ok(w[i]); {
		i++
	}
	return i
}

func (s *Stream) spaces(w []byte, i int) int {
	return s.upTo(w, i, maxSpace, func(c byte) bool { return c == ' ' || c == '\t' })
}

// isValue says whether an assigned value may hold c.
func isValue(c byte) bool {
	if members(c)&(base64s|dotted) != 0 {
		return true
	}
	switch c {
	case '~', '!', '@', '#', '$', '%', '^', '&', '*', '?', ':', '{', '<':
		return true
	}
	return false
}

// secret judges an assigned value by its length, its letters and digits, and
// its entropy, so that names, paths, types and placeholders stay readable.
func (a assignment) secret(v []byte) bool {
	if len(v) < 6 || placeholder(v) {
		return false
	}
	longest, n, symbols := 0, 0, 0
	for _, c := range v {
		if n++; members(c)&alnum == 0 {
			n = 0
			symbols++
		}
		longest = max(longest, n)
	}
	if a.shouts || a.option || a.quoted && a.password {
		return digits(v) > 0 || !a.quoted && len(v) >= 12 && entropy(v) > 2.8 || a.quoted && symbols > 0
	}
	return len(v) >= 10 && digits(v) >= 2 && digits(v) < len(v) && longest >= 10 && entropy(v) >= 3
}

// placeholder says whether v stands for a value, or names where one is.
func placeholder(v []byte) bool {
	switch v[0] {
	case '$', '{', '<', '/', '%', '*', '.', '&', '#', '=':
		return true
	}
	if bytes.Contains(v, []byte("://")) || bytes.Contains(v, []byte("::")) {
		return true
	}
	low := bytes.ToLower(v)
	for _, word := range []string{"example", "changeme", "your", "xxxx", "placeholder", "redacted", "dummy", "****", "undefined", "process.env", "os.environ"} {
		if bytes.Contains(low, []byte(word)) {
			return true
		}
	}
	return false
}
