package secret

import (
	"path"
	"strings"
)

// clears reports whether a value under a suspicious name cannot be a secret.
func (n variableName) clears(value string) bool {
	isPath := strings.IndexByte("/~.", value[0]) >= 0 && !strings.ContainsAny(value, " :")
	switch {
	case trivial().MatchString(value):
		return true
	case n.socket:
		return false
	case isPath && !random(value, false), filename().MatchString(value):
		return true
	case n.public, n.key && n.suspicion == likely && fingerprint().MatchString(value):
		return true
	case strings.Contains(value, "://"): // one with a password has a form of its own
		return !strings.Contains(n.last, "HOOK") && !random(value, n.has(revision))
	case n.has(code):
		return len(value) < 4 || !strings.ContainsAny(value, "0123456789")
	case n.has(setting | count):
		return !random(value, n.has(revision))
	case n.has(identifier):
		return n.suspicion == likely || n.key
	case n.suspicion == sure:
		return false
	}
	return plain(value)
}

var (
	trivial = pattern(`^(?i)(true|false|yes|no|on|off|none|null|nil|0|1|auto|default|always|never|` +
		`enabled|disabled|required|optional)$|^arn:|^[\^~<>=v]*\d+(\.\d+)+([-+]\S{1,12})?$|` +
		`^(ssh-|ecdsa-|sk-ssh|age1|-----BEGIN (PUBLIC|CERT))`)
	filename = pattern(`^[\w.-]+\.(pem|key|p8|p12|pfx|jks|keystore|crt|cer|pub|asc|gpg|json|txt|` +
		`ya?ml|toml)$`)
	fingerprint = pattern(`^((0x)?([0-9A-F]{8}|[0-9A-F]{16}|[0-9A-Fa-f]{40})[ ,]*)+$`,
		`^[^@\s]+@[\w.-]+$`)
	plainText = pattern(`^[*:#~.-]*([A-Za-z]?[a-z]{0,15}|[A-Z]{1,15}|\d{1,12}[a-zA-Z]{0,2})` +
		`([._/ ,*:-]+([A-Za-z]?[a-z]{0,15}|[A-Z]{1,15}|\d{1,12}[a-zA-Z]{0,2}))*$`)
)

// plain reports whether the value is words and numbers, as names and durations are.
func plain(value string) bool { return plainText().MatchString(value) }

var (
	// public is what is random but known to all.
	public = pattern(`(sha|SHA)-?\d+[:-][\w+/=]+`, `AAAA[A-Z]3NzaC1[\w+/]+=*|AAAA[A-Z]2VjZ[\w+/]+=*`,
		`\bage1[0-9a-z]{50,}`, `\bocid1\.[\w.-]+|arn:[\w:/.-]+`, `/(nix|gnu)/store/[\w.+-]+`,
		`(?s)-----BEGIN [A-Z ]*(CERTIFICATE|PUBLIC KEY)[A-Z ]*-----.*?-----END`,
		`\b(ami|eni|fs|i|igw|nat|rtb|sg|snap|subnet|vol|vpc|lt)-[0-9a-f]{8,17}\b|\b0x[0-9a-fA-F]{40}\b`,
		`\bpk_(live|test)_\w+|\bpk\.eyJ[\w.-]+`, `\bdata:(image|font)/[\w.+-]+;base64,[\w+/=]+`,
		`(?i)(revision|commit|sha|digest|checksum|ref)["']?\s*[:=]\s*["']?[0-9a-f]{7,64}\b`,
		`[0-9a-fA-F]{8}([_-][0-9a-fA-F]{4}){3}[_-][0-9a-fA-F]{12}`)
	// uuid is UUIDs with no more than the few letters by which a service marks its keys.
	uuid = pattern(`^([a-zA-Z]{0,6}[-_:]?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})+` +
		`(:[a-z]{2})?$`)
	hexadecimal = pattern(`[0-9a-f]{32,}|[0-9A-F]{32,}`)
	commit      = pattern(`[0-9a-f]{7,64}`)
	// place is a path of at least two names, or a host.
	place = pattern(`^(~|\.{0,2}|[\w.-]{1,12})/[a-z_.-]{1,12}/`,
		`^(//)?[a-z0-9-]{1,22}(\.[a-z0-9-]{1,22})+$`)
)

// random reports whether a part of the value looks random and is not known to be public.
// Under the name of a revision, hexadecimal digits and UUIDs are none.
func random(value string, revision bool) bool {
	if !revision && len(value) >= 36 && strings.Count(value, "-") >= 4 && uuid().MatchString(value) {
		return true
	}
	if !anyRandom(value) {
		return false
	}
	if text, ok := decoded(value); ok {
		value = text
	}
	value = public().ReplaceAllString(value, " ")
	if revision {
		value = commit().ReplaceAllString(value, " ")
	}
	return anyRandom(value)
}

// anyRandom reports whether one of the parts of the value looks random.
func anyRandom(value string) bool {
	pieces := strings.FieldsFunc(value, separates)
	for _, piece := range pieces {
		piece = strings.TrimRight(piece, "=")
		piece = piece[strings.LastIndexByte(piece, '=')+1:]
		if host, file := path.Split(strings.TrimSuffix(piece, "/")); strings.HasPrefix(host, "//") &&
			!strings.Contains(host, "git") {
			piece = file // of a URL
		}
		least, leastHex := 14, 14
		if len(pieces) > 1 {
			least, leastHex = 20, 32 // shorter digits are commits, sizes, colours
		}
		if strings.Trim(piece, "0123456789abcdefABCDEF") == "" {
			least = leastHex
		}
		digits := len(piece) >= 32 && !strings.Contains(piece, "/") && hexadecimal().MatchString(piece)
		if len(piece) >= least && (digits || chance(piece)) && !place().MatchString(piece) {
			return true
		}
	}
	return false
}

// separates reports whether r separates the parts of a value.
func separates(r rune) bool {
	return r < 0x80 && strings.IndexByte(" \t\r\n,;\"'()[]{}<>|&?:@*%$#!\\`", byte(r)) >= 0
}

// chance reports whether a word is better explained by characters drawn at random than by
// words, numbers and signs: small letters, capitals and digits take turns in it. A capital
// that begins a word is no turn.
func chance(word string) bool {
	turns, kinds, digits := 0, [3]int{}, 0
	was, begins := -1, false
	for i := range len(word) {
		kind := -1
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			kind = 0
		case c >= 'A' && c <= 'Z':
			kind = 1
		case c >= '0' && c <= '9':
			kind, digits = 2, digits+1
		case c >= 0x80:
			return false
		}
		if kind >= 0 {
			kinds[kind]++
		}
		if kind != was && kind >= 0 && was >= 0 && !(begins && kind == 0) {
			turns++
		}
		begins = kind == 1 && was != 1
		was = kind
	}
	return turns*4 >= len(word) && digits < len(word)*4/5
}
