package secret

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A meaning is a set of what a word of a variable's name may mean.
type meaning uint8

const (
	sure       meaning = 1 << iota // a secret, unless the value can't be one: PASSWORD, TOKEN
	likely                         // a secret if the value looks like one: KEY, SESSION
	keyword                        // before KEY: certainly a secret
	innocent                       // only ends like a word for a secret
	setting                        // a property of a secret: as the last word, or how many there are
	identifier                     // as the last word: what is random and no secret
)

//go:embed words.txt
var words string

// meanings has the words, in capitals and singular.
var meanings = sync.OnceValue(func() map[string]meaning {
	named := map[string]meaning{"sure": sure, "likely": likely, "keyword": keyword,
		"innocent": innocent, "setting": setting, "identifier": identifier}
	all, now := map[string]meaning{}, meaning(0)
	for line := range strings.Lines(words) {
		if line[0] != '\t' {
			now = named[strings.TrimSpace(line)]
			continue
		}
		for word := range strings.FieldsSeq(line) {
			all[word] |= now
		}
	}
	return all
})

// ends end words for a secret, as DBPASSWORD and ROOTPW.
var ends = [...]string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "APIKEY",
	"ACCESSKEY", "PRIVATEKEY", "AUTHKEY", "SECRETKEY", "CREDENTIAL", "CRED", "PASS", "PW", "PSK",
	"PWD"}

// A variableName is what the words of a variable's name say: whether it is sure or likely that it
// holds a secret, and whether the last word is a setting or an identifier.
type variableName struct {
	meaning
	count  bool // of how many there are
	public bool // the public half of a pair of keys, or compiled into a web page
	key    bool // the word for the secret is KEY: fingerprints and addresses name one
}

// has reports whether the name means it.
func (n variableName) has(m meaning) bool { return n.meaning&m != 0 }

// readName reads the words of a variable's name.
func readName(text string) (n variableName) {
	var before, about meaning
	n.key = true
	for _, word := range splitName(text) {
		stem := strings.TrimSuffix(word, "S")
		about = meanings()[word] | meanings()[stem]
		isKey := strings.HasSuffix(stem, "KEY")
		switch {
		case about&innocent != 0:
			about &^= sure | likely
		case isKey && before&keyword != 0, endsIn(word), endsIn(stem):
			about |= sure
		case isKey:
			about |= likely
		}
		n.key = n.key && (about&(sure|likely) == 0 || isKey)
		n.meaning |= about & (sure | likely)
		before = about
	}
	n.meaning |= about & (setting | identifier)
	for _, part := range []string{"MAX_", "MIN_", "NUM_", "_PER_", "TOTAL_"} {
		n.count = n.count || strings.Contains(text, part)
	}
	for _, part := range []string{"PUBLIC", "PUBLISHABLE", "PUBKEY", "VITE_", "REACT_APP_"} {
		n.public = n.public || strings.Contains(text, part)
	}
	if strings.HasPrefix(text, "npm_package_") { // what package.json has
		n.meaning &^= sure | likely
	}
	return n
}

// endsIn reports whether the word is one of the ends, or has it after at least two letters.
func endsIn(word string) bool {
	return slices.ContainsFunc(ends[:], func(end string) bool {
		return word == end || len(word) > len(end)+1 && strings.HasSuffix(word, end)
	})
}

// splitName splits a name into words in capitals. A word ends at a character that is no
// letter or digit, and before a capital that begins a word in camel case. Digits at the
// end of a word do not belong to it.
func splitName(text string) (words []string) {
	var b strings.Builder
	runes := []rune(text)
	small := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsLower(runes[i]) }
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && small(i+1) {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	for word := range strings.FieldsFuncSeq(b.String(), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if word = strings.TrimRight(word, "0123456789"); word != "" {
			words = append(words, strings.ToUpper(word))
		}
	}
	return words
}
