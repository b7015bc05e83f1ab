package secret

import "strings"

// public is random characters that are no secrets: digests with their algorithm,
// public keys and certificates, identifiers of clouds, paths of Nix.
var public = pattern(strings.Join([]string{
	`sha(1|224|256|384|512)[:-][\w+/=]+`, `AAAA[A-Z][\w+/]{20,}=*`, `\bage1[0-9a-z]{50,}`,
	`\bocid1\.[\w.-]+`, `arn:[\w:/.-]+`, `/nix/store/[\w.+-]+`,
	`(?s)-----BEGIN [A-Z ]*(CERTIFICATE|PUBLIC KEY)[A-Z ]*-----.*?-----END`,
}, "|"))

// publicStarts is how what public matches begins.
var publicStarts = [...]string{"sha", "AAAA", "age1", "ocid1.", "arn:", "/nix/store/",
	"-----BEGIN "}

// random reports whether the value holds a run of characters that looks random.
func random(value string) bool {
	if len(value) < minRun || !anyRandom(value) {
		return false
	}
	value = withoutUUIDs(value)
	for _, start := range publicStarts {
		if strings.Contains(value, start) {
			value = public().ReplaceAllString(value, " ")
			break
		}
	}
	return anyRandom(value)
}

func anyRandom(value string) bool {
	for _, piece := range strings.FieldsFunc(value, separates) {
		slashes := strings.Count(piece, "/")
		switch {
		case len(piece) < minRun || strings.Contains(piece, "://"): // see address
		case slashes > 0 && strings.IndexByte("/~.", piece[0]) >= 0 && len(piece)/slashes < 20: // a path
		case randomRun(piece):
			return true
		}
	}
	return false
}

// withoutUUIDs returns the value with a space in place of each UUID.
func withoutUUIDs(value string) string {
	var out strings.Builder
	start := 0
	for i := 0; i+uuidLength <= len(value); i++ {
		if value[i+8] == '-' && isUUID(value[i:i+uuidLength]) {
			out.WriteString(value[start:i] + " ")
			start = i + uuidLength
			i = start - 1
		}
	}
	return out.String() + value[start:]
}

const uuidLength = 36

// isUUID reports whether the text is 8-4-4-4-12 hexadecimal digits.
func isUUID(text string) bool {
	for i := range len(text) {
		switch c := text[i] | 0x20; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if text[i] != '-' {
				return false
			}
		case (c < 'a' || c > 'f') && (text[i] < '0' || text[i] > '9'):
			return false
		}
	}
	return true
}

// separates reports whether r stands between the parts of a value.
func separates(r rune) bool {
	switch r {
	case ' ', '\t', '\r', '\n', ',', ';', '"', '\'', '(', ')', '[', ']', '{', '}', '<', '>', '|', '&',
		'?', ':', '@', '*', '%', '$', '#', '!', '\\', '`':
		return true
	}
	return false
}

const (
	minRun = 20 // the shortest run that is looked at
	minHex = 32 // of hexadecimal digits: shorter ones are commits, colours, sizes

	minPart = 12 // the longest part without a sign: names of containers have shorter ones
)

// randomRun reports whether s, without what separates words, is a run of random
// characters: digits and letters that change more often than in names.
func randomRun(s string) bool {
	s = strings.TrimRight(s, "=")
	if at := strings.LastIndexByte(s, '='); at >= 0 {
		s = s[at+1:] // the value of an assignment
	}
	if len(s) < minRun {
		return false
	}
	var letters, digits, changes, run, longest int
	hexadecimal, last := true, byte(0)
	for i := range len(s) {
		class := classOf(s[i])
		if run++; class == 's' {
			run = 0
		}
		longest = max(longest, run)
		switch class {
		case 'd':
			digits++
		case 'l', 'u':
			letters++
			hexadecimal = hexadecimal && (s[i]|0x20) <= 'f'
		default:
			hexadecimal = false
		}
		if last != 0 && class != last && !(last == 'u' && class == 'l') && class != 's' && last != 's' {
			changes++
		}
		last = class
	}
	if digits < 2 || letters < 3 || longest < minPart || (letters+digits)*8 < len(s)*7 {
		return false
	}
	if hexadecimal {
		return len(s) >= minHex
	}
	return changes*4 >= len(s)-1
}

// classOf returns the class of a character: digit, lower, upper or sign.
func classOf(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return 'd'
	case c >= 'a' && c <= 'z':
		return 'l'
	case c >= 'A' && c <= 'Z':
		return 'u'
	}
	return 's'
}
