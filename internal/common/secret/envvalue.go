package secret

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"ua/internal/common/redact"
)

// known reports whether the value holds a secret of a form that is known: a key of
// a documented format, a private key, a password in an address or an assignment.
func known(value string) bool {
	if len(value) < 6 {
		return false
	}
	pem := strings.Contains(value, "-----BEGIN ") && strings.Contains(value, "PRIVATE KEY")
	return pem || redact.Known(value) != "" || address(value) || assigns(value)
}

// pattern returns a regular expression that is compiled when it is first needed: most
// environments need none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// login reports whether the value begins as USER:PASSWORD@HOST without a scheme does,
// as drivers of databases take it: a path, or tcp( or unix(, follows.
func login(value string) bool {
	n := countName(value)
	if n == 0 || !strings.HasPrefix(value[n:], ":") {
		return false
	}
	rest := value[n+1:]
	at := strings.IndexAny(rest, "@/ \t\n\f\r")
	if at < 1 || rest[at] != '@' {
		return false
	}
	rest = rest[at+1:]
	if strings.HasPrefix(rest, "tcp(") || strings.HasPrefix(rest, "unix(") {
		return true
	}
	n = countName(rest)
	if port, ok := strings.CutPrefix(rest[n:], ":"); ok && n > 0 {
		digits := len(port) - len(strings.TrimLeft(port, "0123456789"))
		return digits > 0 && strings.HasPrefix(port[digits:], "/")
	}
	return n > 0 && strings.HasPrefix(rest[n:], "/")
}

// countName returns how many bytes the value begins with that a name may hold.
func countName(value string) (n int) {
	for n < len(value) && inName(value[n]) {
		n++
	}
	return n
}

// address reports whether the value holds a URL with a password, a key for a user,
// or a key in its path.
func address(value string) bool {
	if !strings.ContainsAny(value, "@/") {
		return false
	}
	if strings.ContainsRune(value, '@') && login(value) {
		return true
	}
	if !strings.Contains(value, "://") {
		return false
	}
	between := func(r rune) bool {
		switch r {
		case ' ', '\t', '\n', ',', '|', '"', '\'', '<', '>':
			return true
		}
		return false
	}
	for _, word := range strings.FieldsFunc(value, between) {
		if _, rest, ok := strings.Cut(word, "://"); ok && secretURL(word, rest) {
			return true
		}
	}
	return false
}

// secretURL reports whether a URL holds a secret; rest is what follows its "://".
func secretURL(text, rest string) bool {
	authority, path, _ := strings.Cut(rest, "/")
	user, _, hasUser := cutLast(authority, "@")
	if hasUser {
		_, password, has := strings.Cut(user, ":")
		if has && password != "" && !strings.ContainsAny(password[:1], "${<") || randomRun(user) {
			return true
		}
	}
	if u, err := url.Parse(text); err == nil {
		path = u.Path
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if i > 0 && has(identifies, strings.ToUpper(strings.Trim(segments[i-1], "-"))) {
			continue // commit/0123…
		}
		if len(s) >= 24 && randomRun(s) {
			return true
		}
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// header is a header of HTTP that carries a credential.
var header = pattern(`(?i)\b(authorization:\s*\w+|bearer|x-api-key:)\s+\S{8,}`)

// namesHeader reports whether header may match: most values need no such pattern.
func namesHeader(value string) bool {
	if !strings.ContainsRune(value, ' ') {
		return false
	}
	low := strings.ToLower(value)
	return strings.Contains(low, "authorization:") || strings.Contains(low, "bearer") ||
		strings.Contains(low, "x-api-key:")
}

// assigns reports whether the value assigns a secret to a name within it, as
// connection strings, queries, options and JSON do: NAME=VALUE or "NAME":"VALUE".
func assigns(value string) bool {
	if namesHeader(value) && header().MatchString(value) {
		return true
	}
	for i := 1; i < len(value); i++ {
		end := i
		switch {
		case value[i] == '=':
		case value[i] == ':' && strings.HasSuffix(value[:i], `"`):
			end = len(strings.TrimRight(value[:i], `\"`))
		default:
			continue
		}
		start := end
		for start > 0 && inName(value[start-1]) {
			start--
		}
		text := strings.TrimLeft(value[i+1:], ` \"`)
		if stop := strings.IndexAny(text, ";&,\"\\ \t\n"); stop >= 0 {
			text = text[:stop]
		}
		if n := readName(value[start:end]); text != "" && n.about != none && !harmless(n, text) {
			return true
		}
	}
	return false
}

// inName reports whether a name may hold c.
func inName(c byte) bool { return classOf(c) != 's' || c == '_' || c == '-' || c == '.' }

// phrase reports whether the value is words that a key was made of (BIP 39): from 12 to
// 24, of three to eight small letters.
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

// harmless reports whether a value under a suspicious name can be no secret.
func harmless(n name, value string) bool {
	switch {
	case truth(value) || strings.HasPrefix(value, "arn:"):
		return true
	case n.socket:
		return false
	case path(value) && !random(value):
		deep := strings.Count(value, "/") > 1 || strings.Contains(value, ".")
		return n.about == likely || !n.has("URI") && (deep || n.setting)
	case strings.Contains(value, "://"):
		return (!n.has("WEBHOOK") || local(value)) && !n.has("DSN")
	case n.setting && !n.has("CONNECTION") || n.counts():
		return !randomRun(value)
	case n.words[len(n.words)-1] == "AUTH" && scheme(value):
		return true
	case n.about == sure:
		return n.words[len(n.words)-1] == "ID" && n.has("KEY") && !n.has("ACCESS") &&
			plain(value, 4)
	}
	switch last := n.words[len(n.words)-1]; {
	case last == "ID" || last == "SID":
		return !n.has("SESSION") || !random(value)
	case n.has("PIN") || phrase(value):
		return false
	case has(isLikely, last): // the value is the secret itself, or a setting
		return plain(value, 0)
	}
	return plain(value, 2)
}

// scheme reports whether the value names a way to log in.
func scheme(value string) bool {
	switch strings.ToLower(value) {
	case "basic", "digest", "bearer", "oidc", "openid", "oauth", "oauth1", "oauth2", "saml", "saml2", "ldap",
		"ad", "kerberos", "gssapi", "spnego", "negotiate", "ntlm", "jwt", "mtls", "tls", "x509", "cert", "iam",
		"sso", "pam", "trust", "peer", "ident", "md5", "sha256", "scram", "scram-sha-1", "scram-sha-256",
		"plain", "login", "external", "anonymous", "guest", "local", "github", "gitlab", "google", "azure",
		"azuread", "entra", "okta", "auth0", "keycloak", "cognito", "firebase", "aws", "gcp", "required",
		"optional", "disabled", "proxy", "header", "cookie", "session", "form", "password", "token",
		"key", "publickey", "apikey", "api_key", "simple", "static", "internal", "native", "radius":
		return true
	}
	return false
}

// truth reports whether the value switches something on or off.
func truth(value string) bool {
	switch strings.ToLower(value) {
	case "true", "false", "yes", "no", "on", "off", "none", "null", "nil", "0", "1",
		"auto", "default", "always", "never", "enabled", "disabled":
		return true
	}
	return false
}

// path reports whether the value is a single path.
func path(value string) bool {
	list := strings.ContainsRune(value[1:], ':') && value[1] != ':'
	if list || strings.ContainsAny(value, " \t\n") {
		return false
	}
	for _, start := range []string{"/", "~/", "./", "../"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	return len(value) > 2 && value[1:3] == ":\\"
}

// plain reports whether the value is made of words and numbers, as names, versions,
// durations and lists are. A word may end in so many digits.
func plain(value string, digits int) bool {
	value = strings.TrimSuffix(strings.TrimLeft(value, "*:#~.-"), ":")
	between := func(r rune) bool { return strings.ContainsRune("._/ ,*-", r) }
	for _, w := range strings.FieldsFunc(value, between) {
		if !plainWord(w, digits) {
			return false
		}
	}
	return true
}

// plainWord reports whether w is a number, perhaps with a unit, or a word, perhaps
// in camel case.
func plainWord(w string, digits int) bool {
	letters := strings.TrimLeft(w, "0123456789")
	if len(letters) < len(w) {
		unit := len(letters) <= 2 && !strings.ContainsFunc(letters, unicode.IsDigit)
		return unit && len(w)-len(letters) <= 12
	}
	letters = strings.TrimRight(w, "0123456789")
	switch strings.ToLower(letters) {
	case "v", "oauth", "sha", "md", "utf":
		return len(w)-len(letters) <= 4
	}
	if len(w)-len(letters) > digits || len(letters) > 30 {
		return false
	}
	if letters == strings.ToUpper(letters) {
		return len(letters) <= 15 && onlyLetters(letters)
	}
	parts := splitName(letters)
	for _, part := range parts {
		if len(part) > 15 || len(part) < 2 && len(parts) > 1 {
			return false
		}
	}
	return len(parts) <= 4 && onlyLetters(letters)
}

func onlyLetters(s string) bool {
	for i := range len(s) {
		if c := classOf(s[i]); c != 'l' && c != 'u' {
			return false
		}
	}
	return true
}

// has reports whether the name has the word.
func (n name) has(word string) bool {
	return slices.Contains(n.words, word)
}

// counted are kinds of tokens that are counted.
var counted = [...]string{"INPUT", "OUTPUT", "NEW", "THINKING", "CONTEXT", "PROMPT", "COMPLETION"}

// counts reports whether the name is about a number of tokens, of passes or a rule
// for passwords: MAX_TOKENS, PASS_COUNT, TOKENS_PER_MINUTE.
func (n name) counts() bool {
	for i, w := range n.words {
		switch w {
		case "MAX", "MIN", "NUM", "LIMIT", "PER", "TOTAL", "BUDGET", "COUNT":
			return true
		case "TOKENS":
			return i > 0 && i == len(n.words)-1 && slices.Contains(counted[:], n.words[i-1])
		}
	}
	return false
}

// local reports whether the URL is one of this machine.
func local(value string) bool {
	_, rest, _ := strings.Cut(value, "://")
	return strings.HasPrefix(rest, "localhost") || strings.HasPrefix(rest, "127.") ||
		strings.HasPrefix(rest, "[::1]")
}
