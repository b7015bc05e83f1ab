package redact

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// An assigning says how a value is assigned to a name that suggests a secret.
type assigning struct {
	shouts   bool // NAME=value, as in an environment or its file
	option   bool // --name=value
	quoted   bool
	password bool // the name speaks of a password
}

// assigned matches the value that is assigned to a name. After the word in the name come
// perhaps a quote, then = or :, perhaps a quote and "Bearer", and then the value.
func (r *row) assigned(w []byte, at, rest int, final bool) match {
	i := upTo(w, rest, maxName, word)
	name := w[at:i]
	for n := 0; n < 2 && i < len(w) && strings.IndexByte(`\"']`, w[i]) >= 0; n++ {
		i++
	}
	tight := i
	i = spaces(w, i)
	op := i
	for n := 0; n < 3 && i < len(w) && strings.IndexByte("=:>", w[i]) >= 0; n++ {
		i++
	}
	// No sign follows the name, so nothing is assigned.
	if i == op && i < len(w) {
		return match{}
	}
	signs := w[op:i]
	open := spaces(w, i)
	i = open
	for n := 0; n < 2 && i < len(w) && strings.IndexByte("\\\"'`", w[i]) >= 0; n++ {
		i++
	}
	quoted := i != open
	i += scheme(w[i:])
	if i >= len(w) {
		return match{outcome: wait}
	}
	end := upTo(w, i, maxValue, value)
	// The value is a call.
	if end < len(w) && w[end] == '(' {
		return match{}
	}
	a := assigning{
		shouts:   op == tight && string(signs) == "=" && op+1 == open && !hasSmall(name),
		option:   op == tight && at > 0 && w[at-1] == '-',
		quoted:   quoted,
		password: strings.HasPrefix(r.start, "passw") || r.start == "passphrase",
	}
	switch {
	case end == len(w) && end < i+maxValue && !final:
		return match{outcome: wait}
	case !a.secret(w[i:end]):
		return match{}
	}
	m := match{outcome: yes, start: i, end: end}
	if end == i+maxValue {
		m.skip = base64 | dotted
	}
	return m
}

// hasSmall reports whether the name has a small letter.
func hasSmall(name []byte) bool {
	return bytes.ContainsFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// scheme returns the length of a word before the value that says how it is used.
func scheme(w []byte) int {
	for _, s := range []string{"bearer ", "basic ", "token "} {
		if n := len(s); len(w) >= n && w[0]|0x20 == s[0] && bytes.EqualFold(w[:n], []byte(s)) {
			return n
		}
	}
	return 0
}

// spaces returns the index after the blanks at i, of which only a few are skipped.
func spaces(w []byte, i int) int {
	for end := min(len(w), i+maxSpace); i < end && (w[i] == ' ' || w[i] == '\t'); {
		i++
	}
	return i
}

// secret reports whether an assigned value looks like a secret, by its length, its
// letters and digits, and its entropy. Names, paths, types and placeholders have to stay
// readable.
func (a assigning) secret(v []byte) bool {
	if len(v) < 6 || strings.IndexByte("${</%*.&#=", v[0]) >= 0 {
		return false
	}
	longest, n, symbols, digits := 0, 0, 0, 0
	for _, c := range v {
		switch k := classes[c]; {
		case k&digit != 0:
			digits++
			n++
		case k&alnum != 0:
			n++
		default:
			n = 0
			symbols++
		}
		longest = max(longest, n)
	}
	looks := false
	if a.shouts || a.option || a.quoted && a.password {
		looks = digits > 0 || a.quoted && symbols > 0 || !a.quoted && len(v) >= 12 && entropy(v) > 2.8
	} else {
		looks = len(v) >= 10 && digits >= 2 && digits < len(v) && longest >= 10 && entropy(v) >= 3
	}
	return looks && !placeholder(v)
}

// placeholder reports whether v stands for a value or says where one is.
func placeholder(v []byte) bool {
	if bytes.Contains(v, []byte("://")) || bytes.Contains(v, []byte("::")) {
		return true
	}
	low := bytes.ToLower(v)
	for _, p := range placeholders {
		if bytes.Contains(low, []byte(p)) {
			return true
		}
	}
	return false
}

// entropy returns the Shannon entropy of v in bits for each byte.
func entropy(v []byte) (bits float64) {
	var count [256]uint8
	for _, c := range v {
		count[c]++
	}
	for _, c := range v {
		if n := count[c]; n > 0 {
			count[c] = 0
			p := float64(n) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// urlPassword matches the password in USER:PASSWORD@ after "://".
func urlPassword(w []byte, rest int) match {
	end := upTo(w, rest, maxURL, password)
	if end == len(w) && end < rest+maxURL {
		return match{outcome: wait}
	}
	colon := bytes.IndexByte(w[rest:end], ':')
	if end == len(w) || w[end] != '@' || colon < 0 || rest+colon+1 == end {
		return match{}
	}
	secret := w[rest+colon+1 : end]
	empty := slices.Contains(emptyPasswords[:], string(secret))
	if empty || strings.IndexByte("${%*[", secret[0]) >= 0 {
		return match{}
	}
	return match{outcome: yes, start: rest + colon + 1, end: end}
}
