package secret

import (
	"slices"
	"strings"
	"unicode"
)

// harmless reports whether a value under a suspicious name cannot be a secret.
func harmless(n name, value string) bool {
	last := n.last()
	switch {
	case truth(value) || strings.HasPrefix(value, "arn:") || isVersion(value) || published(value):
		return true
	case n.has("TOKEN", "TOKENS") && marks(value), file(value):
		return true
	// The socket of an agent gives what the agent guards.
	case n.socket:
		return false
	// A fingerprint or an address only names a key.
	case n.keyOnly && (n.public || isMail(value) || fingerprint(n, value)):
		return true
	// A path says where a secret is.
	case path(value) && !random(value):
		deep := strings.Count(value, "/") > 1 || strings.Contains(value, ".")
		return n.about == likely || !n.has("URI") && (deep || n.setting)
	// A password in a URL would have been found before (address).
	case strings.Contains(value, "://"):
		return (!n.has("WEBHOOK") || localHost(hostOf(value))) &&
			(!n.has("DSN") || n.public || !strings.Contains(value, "@"))
	case n.setting && !n.has("CONNECTION") || n.counts():
		return !random(value)
	case last == "AUTH" && scheme(value):
		return true
	case last == "ID" && n.has("KEY") && !n.has("ACCESS", "SECRET"):
		return len(value) <= 20 || onlyHex(strings.TrimPrefix(value, "0x")) || isUUID(value) ||
			plain(value, 4)
	case last == "ID" && !n.has("SESSION") && n.about == sure:
		return plain(value, 4) && !n.has("TOKEN", "PASSWORD")
	case n.about == sure:
		return n.soft && plain(value, 0)
	case last == "ID" || last == "SID":
		return !n.has("SESSION") || !random(value)
	case n.has("PIN", "PUK", "CODE", "CODES", "OTP", "TOTP"):
		return len(value) < 4 || !strings.ContainsAny(value, "0123456789") && plain(value, 0)
	case phrase(value):
		return false
	case strings.Trim(value, "0123456789") == "",
		strings.Count(value, " ") > 3 && !random(value):
		return true
	case has(isLikely, last): // the value is the secret itself, or a setting
		return plain(value, 0)
	}
	return plain(value, 2)
}

// published reports whether the value is a public key, a certificate, or a token of
// Mapbox for web pages.
func published(value string) bool {
	if strings.HasPrefix(value, "pk.eyJ") {
		return true
	}
	for _, start := range [...]string{"ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "age1",
		"-----BEGIN PUBLIC", "-----BEGIN CERT"} {
		if strings.HasPrefix(value, start) {
			return !random(value)
		}
	}
	return false
}

// file reports whether the value is the name of a file that may hold a key.
func file(value string) bool {
	return countName(value) == len(value) && ends(value, ".pem", ".key", ".p8", ".p12", ".pfx",
		".jks", ".keystore", ".crt", ".cer", ".pub", ".asc", ".gpg", ".json", ".txt",
		".yaml", ".yml", ".toml")
}

// marks reports whether the value is special tokens of a language model: </s>,
// [CLS],[SEP].
func marks(value string) bool {
	between := func(r rune) bool { return r == ',' || r == ' ' }
	for m := range strings.FieldsFuncSeq(value, between) {
		m = strings.Trim(m, `"'`)
		word := strings.Trim(m, "<>[]|/")
		if word == "" || countName(word) != len(word) {
			return false
		}
		if around := m[:1] + m[len(m)-1:]; around != "<>" && around != "[]" {
			return false
		}
	}
	return true
}

// isVersion reports whether the value is a version, or a range beginning with one:
// ^4.0.1.
func isVersion(value string) bool {
	numbers := strings.Split(strings.TrimLeft(value, "^~<>=v"), ".")
	for _, n := range numbers[:len(numbers)-1] {
		if n == "" || strings.Trim(n, "0123456789") != "" {
			return false
		}
	}
	last := strings.TrimLeft(numbers[len(numbers)-1], "0123456789")
	short := len(numbers) == 2 && len(value) < 6
	return (len(numbers) > 2 || short) && len(value) <= 24 &&
		len(last) < len(numbers[len(numbers)-1]) &&
		(last == "" || last[0] == '-' || last[0] == '+')
}

// fingerprint reports whether the value is one or several fingerprints of keys, under a
// name about signatures.
func fingerprint(n name, value string) bool {
	pgp := n.has("GPG", "PGP", "OPENPGP", "GPGKEY", "PGPKEY", "GPGKEYS", "DEBSIGN", "MAINTAINER")
	if !pgp && !n.has("SIGNING", "SIGN", "SIGNINGKEY", "SIGNKEY", "RELEASE") {
		return false
	}
	for f := range strings.FieldsFuncSeq(value, separates) {
		hex, marked := strings.CutPrefix(f, "0x")
		switch len(hex) {
		case 8, 16, 32, 40:
		default:
			return false
		}
		if !onlyHex(hex) || !pgp && !marked && strings.ToUpper(hex) != hex && len(hex) != 40 {
			return false
		}
	}
	return true
}

// hostOf returns what follows the scheme in a URL.
func hostOf(value string) string {
	_, rest, _ := strings.Cut(value, "://")
	return rest
}

// scheme reports whether the value names a way to log in.
func scheme(value string) bool {
	switch strings.ToLower(value) {
	case "ssh", "https", "iap", "webauthn", "passkey", "email", "mfa", "device", "browser",
		"interactive", "managed", "gcloud", "basic", "digest", "bearer", "oidc", "openid",
		"oauth", "oauth1", "oauth2", "saml", "saml2", "ldap", "ad", "kerberos", "gssapi",
		"spnego", "negotiate", "ntlm", "jwt", "mtls", "tls", "x509", "cert", "iam", "sso",
		"pam", "trust", "peer", "ident", "md5", "sha256", "scram", "scram-sha-1",
		"scram-sha-256", "plain", "login", "external", "anonymous", "guest", "local",
		"github", "gitlab", "google", "azure", "azuread", "entra", "okta", "auth0",
		"keycloak", "cognito", "firebase", "aws", "gcp", "required", "optional", "disabled",
		"proxy", "header", "cookie", "session", "form", "password", "token", "key",
		"publickey", "apikey", "api_key", "simple", "static", "internal", "native", "radius":
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

// plain reports whether the value consists of words and numbers, like names, versions,
// durations and lists. A word may end in that many digits.
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

// plainWord reports whether w is a number, perhaps with a unit, or a word, perhaps in
// camel case.
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

// onlyLetters reports whether s consists of ASCII letters.
func onlyLetters(s string) bool {
	for i := range len(s) {
		if c := classOf(s[i]); c != 'l' && c != 'u' {
			return false
		}
	}
	return true
}

// counted are kinds of tokens that a model's budget counts.
var counted = [...]string{"INPUT", "OUTPUT", "NEW", "THINKING", "CONTEXT", "PROMPT", "COMPLETION"}

// counts reports whether the name is about a number of tokens, of passes, or a rule for
// passwords: MAX_TOKENS, PASS_COUNT, TOKENS_PER_MINUTE.
func (n name) counts() bool {
	for i, w := range n.words {
		switch w {
		case "MAX", "MIN", "NUM", "LIMIT", "PER", "TOTAL", "BUDGET", "COUNT":
			return true
		case "TOKENS":
			if i > 0 && i == len(n.words)-1 && slices.Contains(counted[:], n.words[i-1]) {
				return true
			}
		}
	}
	return false
}
