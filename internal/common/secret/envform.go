package secret

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ua/internal/common/redact"
)

// pattern returns a regular expression that is compiled only when it is first needed.
func pattern(text ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(strings.Join(text, "|"))
	})
}

// forms are what is a secret wherever it stands. A form is looked for where its sign is:
// most values have none.
var forms = [...]struct {
	sign string
	form func() *regexp.Regexp
}{
	{"-----", pattern(`-----BEGIN [A-Z ]*PRIVATE KEY|-----BEGIN NATS USER`)},
	{"PuTTY", pattern(`PuTTY-User-Key-File-`)},
	// Hashes of passwords, in the form of crypt(5) or similar.
	{"$", pattern(`\$(2[aby]|1|5|6|y|7|gy|apr1|argon2\w*|scrypt|pbkdf2[\w-]*|SCRAM-SHA-256)\$.{20}`)},
	{"{SSHA", pattern(`\{SSHA`)}, {"pbkdf2", pattern(`pbkdf2[_:.]sha`)},
	{"*", pattern(`^\*[0-9A-F]{40}$`)},
	// Addresses with a password, with a word that says who may post, or in a query.
	{"://", pattern(`://[^\s/:@,]*:[^\s$%<{@][^\s@]*@|://[^\s:/@]+:[^\s/@,]{3,}@`,
		`(?i)://\S*hooks?/(\S*/)?[\w-]*\d[\w-]{8,}|://\S*[?&]u=[^&\s]+&p=[^&\s]+`)},
	// Logins of databases: NAME:PASSWORD@HOST/, NAME/PASSWORD@HOST:PORT/, a line of pgpass.
	{"@", pattern(`^[\w.-]+:[^\s/@]+@(tcp\(|unix\(|[\w.-]+(:\d+)?/)`,
		`^\w+/[^\s/@]+@(//|[\w.-]+:\d+/)`)},
	{":", pattern(`^[\w.*-]+:(\d+|\*):[^:\s]+:[^:\s]+:[^:\s]+$`)},
	// Headers, phrases of words (BIP 39), options with a user and a password.
	{" ", pattern(`^([Bb]earer|[Bb]asic)\s+[\w+/=.-]{8,}$|^([a-z]{3,8} ){11,23}[a-z]{3,8}$`)},
	{" -", pattern(`(^|\s)(-[uUDh] \S+|-u\S+).*\s-[pPwAa] ?[^\s$/.-][^\s/]*[A-Za-z][^\s/]*(\s|$)`)},
	{"--pass", pattern(`--pass(word|wd|phrase|code)?[ =]["']?[^\s"'/$%<{-]`)},
	// Bytes of a key, and licences.
	{"[", pattern(`^\[(\d{1,3}, ?){31,}\d{1,3}\]$`)},
	{"-", pattern(`^([A-Z0-9]{2}-)?([A-Z0-9]{4,8}-){4,}[A-Z0-9]{4,8}$`)},
}

var (
	// assignment is NAME=VALUE in its many forms: "NAME": "VALUE", :NAME "VALUE", <NAME>VALUE.
	assignment = pattern(`([A-Za-z][\w.-]*)["'\\\])]*` +
		`(?:\s*[=>]\s*|["'\s]\s*:\s*|\s+["'])["'\\]*([^\s"'\\;&,<}=>]+)`)
	// following is a password after its name and a space, or after its user in an option.
	following = pattern(`(?i)(?:[\w-]*(?:pass|password|passwd|pw|token|secret):?[ \t]+|` +
		`(?:^|\s)(?:-[ua]|--user|--creds)[ =]?[\w.@-]+[:%])["']?([^\s"'/$]{4,})`)
	// userPassword is USER:PASSWORD. Machines have the users of its first group.
	userPassword = pattern(`^(?i)(root|\w*admin(?:istrator)?|sa|user|guest|ci|deploy\w*|elastic|` +
		`neo4j|postgres|mysql|solr|[\w.+-]+@[\w.-]+)?[\w.@+-]*:([^\s:/=,"'(<]{4,})$`)
)

// secretForm reports whether the value contains a secret of a known form, whatever the
// name is, and for login under a name of who logs in. It may be in base64.
func secretForm(value string, login bool) bool {
	if len(value) < 6 {
		return false
	}
	if redact.Known(value) != "" && !strings.HasPrefix(value, "pk.eyJ") {
		return true
	}
	for _, f := range forms {
		if strings.Contains(value, f.sign) && f.form().MatchString(value) {
			return true
		}
	}
	if strings.ContainsAny(value, "=:> ") && assigns(value) {
		return true
	}
	if m := userPassword().FindStringSubmatch(value); m != nil {
		switch password := m[2]; {
		case login && strings.Trim(password, "0123456789.") != "", m[1] != "" && !plain(password),
			strings.ContainsAny(password, "!#$&"):
			return true
		}
	}
	text, ok := decoded(value)
	return ok && (userPassword().MatchString(text) || secretForm(text, true))
}

// assigns reports whether the value assigns a secret to a name inside of it, as connection
// strings, options and documents do.
func assigns(value string) bool {
	for _, m := range assignment().FindAllStringSubmatch(value, 100) {
		n := readName(m[1])
		if n.suspicion != unsuspicious && !n.has(setting) && !placeholder(m[2]) && !n.clears(m[2]) {
			return true
		}
	}
	m := following().FindStringSubmatch(value)
	return m != nil && !plain(m[1]) && !placeholder(m[1])
}

// placeholder reports whether the text stands for a value that is found elsewhere: $NAME,
// %s, {{ name }}, <name>.
func placeholder(text string) bool {
	return strings.IndexByte("$%<{@*", text[0]) >= 0
}

// decoded returns the text of a value in base64. Random bytes are not text by chance.
func decoded(value string) (text string, ok bool) {
	value = strings.TrimRight(strings.TrimPrefix(value, "Basic "), "=\n")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(value, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(value) < 12 || strings.ContainsAny(value, " .:,;") {
		return "", false
	}
	b, err := encoding.DecodeString(value)
	control := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	return string(b), err == nil && utf8.Valid(b) && !strings.ContainsFunc(string(b), control)
}
