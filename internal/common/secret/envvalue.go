package secret

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"ua/internal/common/redact"
)

// known reports whether the value contains a secret of a known form: a key of a
// documented format, a private key, the hash of a password, or a password in an address,
// in an assignment, in options or after a user's name. It may be in base64.
func known(n name, value string) bool {
	if len(value) < 6 {
		return false
	}
	if private(value) || redact.Known(value) != "" && !strings.HasPrefix(value, "pk.eyJ") ||
		crypted(value) || keyBytes(value) ||
		groups(value) || chosen(value) || login(value) || pairs(n, value) || address(n, value) ||
		assigns(value) ||
		options(value) {
		return true
	}
	text, ok := decoded(value)
	return ok && (credentials(text) || known(name{}, text))
}

// private reports whether the value contains a private key in one of its text formats.
func private(value string) bool {
	return strings.Contains(value, "-----BEGIN ") && strings.Contains(value, "PRIVATE KEY") ||
		strings.Contains(value, "PuTTY-User-Key-File-")
}

// pattern returns a regular expression that is compiled only when it is first needed:
// most environments need none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// crypted reports whether the value contains the hash of a password in the form of
// crypt(5) or similar, which somebody could guess at leisure.
func crypted(value string) bool {
	if len(value) < 22 {
		return false
	}
	if strings.Contains(value, "$") && long(value, "$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$",
		"$y$", "$7$", "$gy$", "$apr1$", "$argon2", "$scrypt$", "$pbkdf2", "SCRAM-SHA-256$") ||
		strings.Contains(value, "pbkdf2") && long(value, "pbkdf2_sha", "pbkdf2:sha", "pbkdf2.sha") ||
		long(value, "{SSHA", "scrypt:") {
		return true
	}
	hex, mysql := strings.CutPrefix(value, "*")
	return mysql && len(hex) == 40 && onlyHex(hex)
}

// long reports whether one of the starts is in the value, with a hash after it.
func long(value string, starts ...string) bool {
	for _, start := range starts {
		if at := strings.Index(value, start); at >= 0 && len(value)-at-len(start) >= 20 {
			return true
		}
	}
	return false
}

// keyBytes reports whether the value is a key as a list of bytes: [174, 47, ...].
func keyBytes(value string) bool {
	list, opened := strings.CutPrefix(strings.TrimSpace(value), "[")
	list, closed := strings.CutSuffix(list, "]")
	if !opened || !closed || strings.Count(list, ",") < 15 {
		return false
	}
	high := 0
	seen := map[int]bool{}
	fields := strings.Split(list, ",")
	for _, f := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || n < 0 || n > 255 {
			return false
		}
		if seen[n] = true; n > 127 {
			high++
		}
	}
	return high*5 > len(fields) && len(seen)*2 > len(fields)
}

// groups reports whether the value is made to be copied by hand, like licences and
// recovery codes: four or more groups of equally many random letters and digits.
func groups(value string) bool {
	between := func(r rune) bool { return r == '-' || r == ' ' || r == ',' || r == '\n' }
	separators := 0 // counted first, since few values have enough of them
	for i := range len(value) {
		if between(rune(value[i])) {
			separators++
		}
	}
	if separators < 3 {
		return false
	}
	list := strings.FieldsFunc(value, between)
	if len(list) > 4 && len(list[0]) < 4 {
		list = list[1:] // it says whose they are: SB-…
	}
	if len(list) < 4 || len(list) > 80 {
		return false
	}
	var k kinds
	mixed := 0
	for _, g := range list {
		if len(g) != len(list[0]) || len(g) < 4 || len(g) > 8 || countName(g) != len(g) {
			return false
		}
		of, _ := evidence(g)
		k.lower += of.lower
		k.upper += of.upper
		k.digits += of.digits
		if k.signs += of.signs; of.digits > 0 && of.lower+of.upper > 0 {
			mixed++
		}
	}
	switch {
	case k.signs > 0 || k.lower > 0 && k.upper > 0:
		return false
	case k.lower+k.upper == 0:
		return len(list) >= 6 && strings.Count(value, "-") >= 6
	}
	return mixed*2 >= len(list) || isRandom(strings.Join(list, ""), minWhole, minWhole)
}

// decoded returns the text of a value in base64. Random bytes are not text by chance.
func decoded(value string) (text string, ok bool) {
	if strings.HasPrefix(value, "Basic ") || strings.HasPrefix(value, "basic ") {
		value = value[len("Basic "):]
	}
	value = strings.TrimRight(value, "=\n")
	if len(value) < 12 {
		return "", false
	}
	encoding := base64.RawStdEncoding
	for i := range len(value) {
		switch c := value[i]; {
		case c == '-' || c == '_':
			encoding = base64.RawURLEncoding
		case c != '+' && c != '/' && c != '\n' && classOf(c) == 's':
			return "", false
		}
	}
	b, err := encoding.DecodeString(value)
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return "", false
		}
	}
	return string(b), true
}

// credentials reports whether the text is USER:PASSWORD, which HTTP encodes in base64.
func credentials(text string) bool {
	user, password, ok := strings.Cut(strings.TrimSpace(text), ":")
	return ok && user != "" && len(password) > 2 && !strings.ContainsAny(user, " \n\"{") &&
		!strings.ContainsAny(password, "\n") && password[0] != ' ' && !strings.HasPrefix(password, "//")
}

// onlyHex reports whether the text is hexadecimal digits.
func onlyHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// mnemonic reports whether the value is such a phrase and not a text, which has short
// words too.
func mnemonic(value string) bool {
	n := strings.Count(value, " ") + 1
	if n%3 != 0 || !phrase(value) {
		return false
	}
	for _, w := range [...]string{" the ", " and ", " for ", " with ", " not ", " all ", " get "} {
		if strings.Contains(value, w) {
			return false
		}
	}
	return true
}

// phrase reports whether the value is the words of a key (BIP 39): 12 to 24 words of
// three to eight small letters.
func phrase(value string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	if n := strings.Count(value, " "); n < 11 || n > 23 {
		return false
	}
	for w := range strings.SplitSeq(value, " ") {
		if len(w) < 3 || len(w) > 8 || strings.Trim(w, letters) != "" {
			return false
		}
	}
	return true
}
