package secret

import (
	"regexp"
	"strings"
	"sync"

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
	{"-----", pattern(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
	// Hashes of passwords, in the form of crypt(5) or similar.
	{"$", pattern(`\$(2[aby]|1|5|6|y|7|gy|apr1|argon2\w*|scrypt|pbkdf2[\w-]*)\$.{20}`)},
	// Addresses with a password, with a word that says who may post, or in a query.
	{"://", pattern(`://[^\s/:@,]*:[^\s$%<{@][^\s@]*@|://[^\s:/@]+:[^\s/@,]{3,}@`,
		`(?i)://\S*hooks?/(\S*/)?[\w-]*\d[\w-]{8,}|://\S*[?&]u=[^&\s]+&p=[^&\s]+`)},
	// Logins of databases: NAME:PASSWORD@HOST/, NAME/PASSWORD@HOST:PORT/, a line of pgpass.
	{"@", pattern(`^[\w.-]+:[^\s/@]+@(tcp\(|unix\(|[\w.-]+(:\d+)?/)`,
		`^\w+/[^\s/@]+@(//|[\w.-]+:\d+/)`)},
	{":", pattern(`^[\w.*-]+:(\d+|\*):[^:\s]+:[^:\s]+:[^:\s]+$`,
		`^(?i)(root|\w*admin|deploy\w*|[\w.+-]+@[\w.-]+)[\w.@+-]*:[^\s:/=,"'(<]*\d[^\s:/=,"'(<]*$`)},
	// Headers, phrases of words (BIP 39), options with a user and a password.
	{" ", pattern(`^([Bb]earer|[Bb]asic)\s+[\w+/=.-]{8,}$|^([a-z]{3,8} ){11,23}[a-z]{3,8}$`)},
	{"-", pattern(`(^|\s)(-[uUDh] ?\S+).*\s-[pPwAa] ?[^\s$/.-][^\s/]*[A-Za-z][^\s/]*(\s|$)`,
		`--pass(word|wd|phrase|code)?[ =]["']?[^\s"'/$%<{-]`,
		`^([A-Z0-9]{2}-)?([A-Z0-9]{4,8}-){3,}[A-Z0-9]{4,8}$`,
		`(?:^|\s)(?:-[ua]|--user|--creds)[ =]?[\w.@-]+:["']?([^\s"'/$]*\d[^\s"'/$]*)(\s|$)`)},
	{"pass", pattern(`\bpass(word)? +[^\s$%<{@/=-]*\d`)},
}

// assignment is NAME=VALUE in its many forms: "NAME": "VALUE", :NAME "VALUE", <NAME>VALUE.
var assignment = pattern(`([A-Za-z][\w.-]*)["'\\\])]*` +
	`(?:\s*[=>]\s*|["'\s]\s*:\s*|\s+["'])["'\\]*([^\s"'\\;&,<}=>]+)`)

// secretForm reports whether the value contains a secret of a known form, whatever the
// name is.
func secretForm(value string) bool {
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
	if !strings.ContainsAny(value, "=:> ") {
		return false
	}
	// Connection strings, options and documents assign secrets to names; $NAME, {{ name }} and
	// <name> stand for what is elsewhere.
	for _, m := range assignment().FindAllStringSubmatch(value, 100) {
		n := readName(m[1])
		if n.has(sure|likely) && !n.has(setting) && strings.IndexByte("$%<{@*", m[2][0]) < 0 &&
			!n.clears(m[2]) {
			return true
		}
	}
	return false
}

var (
	trivial = pattern(`^(?i)(true|false|yes|no|on|off|none|null|0|1|auto|default|always|never|` +
		`enabled|disabled|required|optional)$|^arn:|^[\^~<>=v]*\d+(\.\d+)+([-+]\S{1,12})?$|` +
		`^[<\[].{1,16}[>\]]$|^(ssh-|ecdsa-|sk-ssh|age1|-----BEGIN (PUBLIC|CERT))`)
	filename = pattern(`^[\w.-]+\.(pem|key|p8|p12|pfx|jks|keystore|crt|cer|pub|asc|gpg|json|txt|` +
		`ya?ml|toml)$`)
	fingerprint = pattern(`^((0x)?([0-9A-F]{8}|[0-9A-F]{16}|[0-9A-Fa-f]{40})[ ,]*)+$`,
		`^[^@\s]+@[\w.-]+$`)
	plainText = pattern(`^[*:#~.-]*([A-Za-z]?[a-z]{0,15}|[A-Z]{1,15}|\d{1,12}[a-zA-Z]{0,2})` +
		`([._/ ,*:-]+([A-Za-z]?[a-z]{0,15}|[A-Z]{1,15}|\d{1,12}[a-zA-Z]{0,2}))*$`)
)

// clears reports whether a value under a name that speaks for a secret cannot be one.
func (n variableName) clears(value string) bool {
	isPath := strings.IndexByte("/~.", value[0]) >= 0 && !strings.ContainsAny(value, " :")
	switch {
	case trivial().MatchString(value), n.public, filename().MatchString(value),
		isPath && !random(value):
		return true
	case strings.Contains(value, "://"), n.has(setting), n.count: // a password has a form of its own
		return !random(value)
	case n.has(identifier):
		return !n.has(sure) || n.key
	case n.has(sure):
		return false
	}
	return n.key && fingerprint().MatchString(value) || plainText().MatchString(value)
}

var (
	// public is what is random but known to all.
	public = pattern(`(sha|SHA)-?\d+[:-][\w+/=]+`, `AAAA[A-Z]3NzaC1[\w+/]+=*|AAAA[A-Z]2VjZ[\w+/]+=*`,
		`\bage1[0-9a-z]{50,}`, `\bocid1\.[\w.-]+|arn:[\w:/.-]+`, `/(nix|gnu)/store/[\w.+-]+`,
		`(?s)-----BEGIN [A-Z ]*(CERTIFICATE|PUBLIC KEY)[A-Z ]*-----.*?-----END`,
		`\b0x[0-9a-fA-F]{40}\b|\bpk_(live|test)_\w+|\bpk\.eyJ[\w.-]+`,
		`(?i)(revision|commit|sha|digest|checksum|ref)["']?\s*[:=]\s*["']?[0-9a-f]{7,64}\b`)
	uuid = pattern(`^[a-zA-Z]{0,6}[-_:]?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	// place is a path of at least two names, or a host.
	place = pattern(`^(~|\.{0,2}|[\w.-]{1,12})/[a-z_.-]{1,12}/`,
		`^(//)?[a-z0-9-]{1,22}(\.[a-z0-9-]{1,22})+$`)
)

// random reports whether a part of the value looks random and is not known to be public.
func random(value string) bool {
	if len(value) >= 36 && strings.Count(value, "-") >= 4 && uuid().MatchString(value) {
		return true
	}
	return anyRandom(value) && anyRandom(public().ReplaceAllString(value, " "))
}

// anyRandom reports whether one of the parts of the value looks random.
func anyRandom(value string) bool {
	pieces := strings.FieldsFunc(value, func(r rune) bool {
		return r < 0x80 && strings.IndexByte(" \t\r\n,;\"'()[]{}<>|&?:@*%$#!\\`", byte(r)) >= 0
	})
	for _, piece := range pieces {
		piece = strings.TrimRight(piece, "=")
		piece = piece[strings.LastIndexByte(piece, '=')+1:]
		if strings.HasPrefix(piece, "//") && !strings.Contains(piece, "git") { // of a URL
			piece = piece[strings.LastIndexByte(strings.TrimSuffix(piece, "/"), '/')+1:]
		}
		least := 14
		if len(pieces) > 1 {
			if least = 20; strings.Trim(piece, "0123456789abcdefABCDEF") == "" {
				least = 32 // shorter digits are commits, sizes, colours
			}
		}
		if len(piece) >= least && chance(piece) && !place().MatchString(piece) {
			return true
		}
	}
	return false
}

// chance reports whether a word is better explained by characters drawn at random than by
// words, numbers and signs: small letters, capitals and digits take turns in it. A capital
// that begins a word is no turn.
func chance(word string) bool {
	turns, digits, was, before := 0, 0, byte(0), byte(0)
	for i := range len(word) {
		kind := byte(0)
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			kind = 'a'
		case c >= 'A' && c <= 'Z':
			kind = 'A'
		case c >= '0' && c <= '9':
			kind = '0'
			digits++
		case c >= 0x80:
			return false
		}
		begins := was == 'A' && before != 'A' && kind == 'a'
		if kind != was && kind != 0 && was != 0 && !begins {
			turns++
		}
		before, was = was, kind
	}
	return turns*4 >= len(word) && digits < len(word)*4/5
}
