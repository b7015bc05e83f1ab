package secret

import "strings"

// Random characters that are no secrets: UUIDs, digests with their algorithm,
// public keys and certificates, identifiers of clouds, paths of Nix.
var (
	uuid   = pattern(`(?i)[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}`)
	public = pattern(strings.Join([]string{
		`sha(1|224|256|384|512)[:-][\w+/=]+`, `AAAA[A-Z][\w+/]{20,}=*`, `\bage1[0-9a-z]{50,}`,
		`\bocid1\.[\w.-]+`, `arn:[\w:/.-]+`, `/nix/store/[\w.+-]+`,
		`(?s)-----BEGIN [A-Z ]*(CERTIFICATE|PUBLIC KEY)[A-Z ]*-----.*?-----END`,
	}, "|"))
)

// random says whether the value holds a run of characters that looks random.
func random(value string) bool {
	if len(value) < minRun || !anyRandom(value) {
		return false
	}
	return anyRandom(public().ReplaceAllString(uuid().ReplaceAllString(value, " "), " "))
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

// separates says whether r stands between the parts of a value.
func separates(r rune) bool {
	return strings.ContainsRune(" \t\r\n,;\"'()[]{}<>|&?:@*%$#!\\`", r)
}

const (
	minRun = 20 // the shortest run that is looked at
	minHex = 32 // of hexadecimal digits: shorter ones are commits, colours, sizes

	minPart = 12 // the longest part without a sign: names of containers have shorter ones
)

// randomRun says whether s, without what separates words, is a run of random
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

// classOf is the class of a character: digit, lower, upper or sign.
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
