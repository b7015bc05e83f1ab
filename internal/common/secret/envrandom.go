package secret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The shortest runs of random characters that can be told from names.
const (
	minWhole = 14 // of a value that is one word, of hexadecimal digits too
	minPiece = 20 // of a part of a value
	minHex   = 32 // of hexadecimal digits within a value: shorter ones are commits, sizes, colours
)

// public matches random characters that are no secrets: digests with their algorithm,
// public keys and certificates, identifiers of clouds and services, pictures.
var public = pattern(strings.Join([]string{
	`\b(sha|SHA)-?(1|224|256|384|512)[:-][\w+/=]+`, `AAAA[A-Z](3NzaC1|2VjZHNh|nNrL)[\w+/]+=*`,
	`\bage1[0-9a-z]{50,}`, `\bocid1\.[\w.-]+`, `arn:[\w:/.-]+`, `/(nix|gnu)/store/[\w.+-]+`,
	`(?s)-----BEGIN [A-Z ]*(CERTIFICATE|PUBLIC KEY)[A-Z ]*-----.*?-----END`,
	`\b[\w.-]+\+[0-9a-f]{8}\+[\w+/]{40,}=*`, // a verifier's key of a Go checksum database
	`\b(ami|eni|fs|fsap|i|igw|nat|rtb|sg|snap|subnet|vol|vpc|vpce|lt|eipalloc)-[0-9a-f]{8,17}\b`,
	`\b(pk_(live|test)_\w+|(price|prod|cus|acct|prj|team|dpl|asst)_[A-Za-z0-9]{14,28}\b|phc_\w{43})`,
	`\b(org|proj)-[A-Za-z0-9]{24}\b`,
	`\bdata:(image|font)/[\w.+-]+;base64,[\w+/=]+`, `\b6L[\w-]{38}\b`,
	`(?i)(revision|commit|sha|digest|checksum|ref)["']?\s*[:=]\s*["']?[0-9a-f]{7,64}\b`,
	`-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b`, // pods
	`\b0x[0-9a-fA-F]{40}\b`, `\bh1:[\w+/]{43}=`, // addresses of contracts, sums of go.sum
	`\.[0-9a-z]{20,}\.(apps|supabase)\b`, `\bsecret:[\w/-]+-\w{6}\b`,
}, "|"))

// withoutPublic returns the value without what is random but public.
func withoutPublic(value string) string {
	return public().ReplaceAllString(withoutUUIDs(value), " ")
}

// random reports whether the value contains a run of characters that looks random.
func random(value string) bool {
	if len(value) < minWhole || repeats(value) || !anyRandom(value) {
		return false
	}
	return anyRandom(strings.Trim(withoutPublic(value), " :"))
}

// repeats reports whether the value is a filler: it has no more than three different
// characters.
func repeats(value string) bool {
	var seen [3]rune
	n, size := 0, 0 // size in bytes
	for _, r := range value {
		if slices.Contains(seen[:n], r) {
			continue
		}
		if size += utf8.RuneLen(r); size > len(seen) {
			return false
		}
		seen[n] = r
		n++
	}
	return true
}

// anyRandom reports whether the value is one random word or has a random part.
func anyRandom(value string) bool {
	if whole := strings.TrimRight(value, "="); !strings.ContainsFunc(whole, separatesWords) {
		for part := range strings.SplitSeq(whole, ":") {
			leastHex := minWhole
			if strings.Contains(part, "/") {
				leastHex = minHex
			}
			ofURL := strings.HasPrefix(part, "//") && part[0] != value[0]
			if len(part) >= minWhole && !ofURL && !isPath(part) && !isHost(part) &&
				isRandom(part, minWhole, leastHex) {
				return true
			}
		}
	}
	for piece := range strings.FieldsFuncSeq(value, separates) {
		ofURL := strings.HasPrefix(piece, "//") && piece[0] != value[0] // see address
		if len(piece) < minPiece || ofURL || isPath(piece) {
			continue
		}
		piece = strings.TrimRight(piece, "=")
		piece = piece[strings.LastIndexByte(piece, '=')+1:] // the value of an assignment
		if !isPath(piece) && !isHost(piece) && isRandom(piece, minPiece, minHex) {
			return true
		}
	}
	return false
}

// isPath reports whether the text is a path: below a folder that systems have, or of
// short names.
func isPath(text string) bool {
	slashes := strings.Count(text, "/")
	if slashes == 0 || strings.IndexByte("/~.@-", text[0]) < 0 {
		return false
	}
	if at := strings.IndexByte(text, '/'); strings.Trim(text[:at], "-@~.") == "" {
		top, _, deep := strings.Cut(text[at+1:], "/")
		if deep && at+len(top) > 0 && (isTop(top) || at > 0 && text[0] != '-') {
			return true
		}
	}
	_, bits := evidence(text)
	return len(text)/slashes < 20 && (len(text) < minPiece || bits < 8)
}

// isHost reports whether the text is a host's name.
func isHost(text string) bool {
	if strings.ToLower(text) != text || strings.ContainsAny(text, "_/+=") {
		return false
	}
	switch text[strings.LastIndexByte(text, '.')+1:] {
	case "com", "org", "net", "io", "dev", "app", "cloud", "internal", "local", "example", "test",
		"lan", "corp", "eu", "ch", "de", "uk", "fr", "co", "ai", "run", "sh", "svc", "site":
		return strings.Contains(text, ".")
	}
	return false
}

// isTop reports whether systems have a folder of that name at the root.
func isTop(name string) bool {
	switch name {
	case "usr", "var", "tmp", "home", "opt", "run", "etc", "nix", "gnu", "root", "src", "srv",
		"mnt", "media", "dev", "proc", "sys", "lib", "lib64", "bin", "sbin", "data", "app", "apps",
		"work", "workspace", "workspaces", "builds", "cache", "snap", "scratch", "lustre", "gpfs",
		"project", "projects", "Users", "Applications", "Library", "System", "Volumes", "private",
		"models", "code", "go", "github", "__w", "__t", "kaggle", "content", "dbfs", "databricks":
		return true
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

// uuidLength is the length of a UUID as text, in bytes.
const uuidLength = 36

// isUUID reports whether the text is hexadecimal digits in the form 8-4-4-4-12.
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
	return len(text) == uuidLength
}

// separates reports whether r separates the parts of a value.
func separates(r rune) bool {
	switch r {
	case ' ', '\t', '\r', '\n', ',', ';', '"', '\'', '(', ')', '[', ']', '{', '}', '<', '>', '|', '&',
		'?', ':', '@', '*', '%', '$', '#', '!', '\\', '`':
		return true
	}
	return false
}

// separatesWords reports whether r separates words. A colon does not: it joins the parts
// of one.
func separatesWords(r rune) bool { return r != ':' && separates(r) }

// isRandom reports whether the word s looks random and is not made of words and numbers.
// It has to be at least least characters long, or leastHex hexadecimal digits.
func isRandom(s string, least, leastHex int) bool {
	if len(s) < least {
		return false
	}
	if chance(s, leastHex) {
		return true
	}
	for part := range strings.FieldsFuncSeq(s, isSign) { // behind the mark of a service
		if len(part) >= least && len(part) < len(s) && chance(part, leastHex) {
			return true
		}
	}
	return longestHex(s) >= leastHex
}

// isSign reports whether r is an ASCII character that is no letter or digit.
func isSign(r rune) bool { return r < 0x80 && classOf(byte(r)) == 's' }

// chance reports whether the characters of s look random.
func chance(s string, leastHex int) bool {
	kinds, bits := evidence(s)
	letters := kinds.lower + kinds.upper
	switch {
	case kinds.hexadecimal:
		return len(s) >= leastHex && letters > 1 && bits > 0
	case letters == len(s) && (kinds.lower == 0 || kinds.upper == 0):
		return bits > 10
	}
	return letters*5 > len(s) && (bits > 8 || bits > 5 && len(s) > 15)
}

// longestHex returns the length of the longest run of hexadecimal digits in s that has
// letters, all of one case.
func longestHex(s string) (longest int) {
	eachHex(s, func(start, end int) { longest = max(longest, end-start) })
	return longest
}

// withoutHex returns the value without runs of hexadecimal digits that may be commits,
// and without UUIDs.
func withoutHex(value string) string {
	value = withoutUUIDs(value)
	var out strings.Builder
	done := 0
	eachHex(value, func(start, end int) {
		begins := start == 0 || isSign(rune(value[start-1])) || value[start-1] == 'g' // git describe
		if end-start >= 7 && begins && (end == len(value) || isSign(rune(value[end]))) {
			out.WriteString(value[done:start] + " ")
			done = end
		}
	})
	return out.String() + value[done:]
}

// eachHex calls do with the start and the end of each longest run of hexadecimal digits
// that has digits and letters of one case.
func eachHex(s string, do func(start, end int)) {
	for start := 0; start < len(s); start++ {
		var digits, lower, upper int
		end := start
		for more := true; more && end < len(s); {
			c := s[end]
			isLower, isUpper := c >= 'a' && c <= 'f', c >= 'A' && c <= 'F'
			more = isLower && upper == 0 || isUpper && lower == 0 || c >= '0' && c <= '9'
			switch {
			case !more:
				continue
			case isLower:
				lower++
			case isUpper:
				upper++
			default:
				digits++
			}
			end++
		}
		if digits > 0 && lower+upper > 1 {
			do(start, end)
		}
		start = max(start, end-1)
	}
}
