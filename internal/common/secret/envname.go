package secret

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A suspicion is how much the name of a variable speaks for a secret.
type suspicion int

const (
	unsuspicious suspicion = iota
	likely                 // the value decides: KEY, SESSION, AUTH
	sure                   // only a value that can be no secret clears it: PASSWORD, TOKEN
)

// A variableName is what the words of a variable's name say.
type variableName struct {
	suspicion
	meaning
	last   string // its last word
	public bool   // the public half of a pair of keys, or compiled into a web page
	key    bool   // the word for the secret is KEY: fingerprints and addresses name one
	socket bool   // the address of an agent, which gives what it guards
}

// has reports whether one of the words means it.
func (n variableName) has(m meaning) bool { return n.meaning&m != 0 }

// A meaning is a set of what a word of a name may mean. Some words mean it only before
// another one.
type meaning uint16

const (
	sureWord           meaning = 1 << iota // a secret unless the value cannot be one
	likelyWord                             // a secret if the value looks like one
	beforeSureKey                          // before KEY: certainly a secret
	beforeOtherKey                         // before KEY: no secret
	beforePublicKey                        // before KEY: the public half of a pair
	code                                   // a secret of digits
	beforeCode                             // before CODE: one that opens something
	beforeMark                             // before TOKEN: a mark of a language model or a parser
	count                                  // how many of something
	beforeOtherSession                     // before SESSION: one of a terminal or a desktop
	innocent                               // only ends like a word for a secret
	login                                  // who logs in, perhaps as NAME:PASSWORD
	setting                                // as the last word: a property of a secret
	identifier                             // as the last word: what is random and no secret
	revision                               // a state of files or a run: hexadecimal digits, UUIDs
)

//go:embed words.txt
var words string

// meanings has the words, in capitals and singular.
var meanings = sync.OnceValue(func() map[string]meaning {
	named := map[string]meaning{"sureWord": sureWord, "likelyWord": likelyWord,
		"beforeSureKey": beforeSureKey, "beforeOtherKey": beforeOtherKey,
		"beforePublicKey": beforePublicKey, "code": code, "beforeCode": beforeCode,
		"beforeMark": beforeMark, "count": count, "beforeOtherSession": beforeOtherSession,
		"innocent": innocent, "login": login, "setting": setting, "identifier": identifier,
		"revision": revision}
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

// secretEnds end words for a secret, as DBPASSWORD and ROOTPW.
var secretEnds = [...]string{
	"SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "APIKEY", "ACCESSKEY",
	"PRIVATEKEY", "AUTHKEY", "SECRETKEY", "CREDENTIAL", "CRED", "SEEDPHRASE", "PASS", "PW",
	"PSK", "PWD",
}

// meaningOf returns what the word, or its singular, means.
func meaningOf(word string) meaning {
	m := meanings()[word]
	if stem, ok := strings.CutSuffix(word, "S"); ok {
		m |= meanings()[stem]
	}
	return m
}

// endsIn reports whether the word is one of the ends, or has it after at least two letters.
func endsIn(ends []string, word string) bool {
	return slices.ContainsFunc(ends, func(end string) bool {
		return word == end || len(word) > len(end)+1 && strings.HasSuffix(word, end)
	})
}

// readName reads the words of a variable's name.
func readName(text string) (n variableName) {
	var means, before meaning
	last := ""
	n.key = true
	list := splitName(text)
	for i, word := range list {
		s, about := unsuspicious, meaningOf(word)
		stem := strings.TrimSuffix(word, "S")
		isKey := strings.HasSuffix(stem, "KEY")
		switch {
		case word == "PUBKEY" || word == "PUBLICKEY" || stem == "KEY" && before&beforePublicKey != 0:
			n.public = true
		case stem == "KEY" && before&beforeOtherKey != 0,
			stem == "SESSION" && before&beforeOtherSession != 0:
			means |= revision
		case about&innocent != 0, stem == "PASSWORD" && i+1 < len(list) && list[i+1] == "STORE":
		case stem == "TOKEN" && before&beforeMark != 0:
			means, s = means|count, likely
		case about&sureWord != 0, stem == "KEY" && before&beforeSureKey != 0,
			endsIn(secretEnds[:], word), endsIn(secretEnds[:], stem):
			s = sure
		case about&code != 0, stem == "CODE" && before&beforeCode != 0:
			means, s = means|code, likely
		case about&likelyWord != 0, isKey:
			s = likely
		}
		n.key = n.key && (s == unsuspicious || isKey)
		n.suspicion = max(n.suspicion, s)
		means |= about & (revision | login | count)
		n.socket = n.socket || word == "SOCK"
		before, last = about, word
	}
	n.last, n.meaning = last, means|before&(setting|identifier)
	if strings.HasSuffix(last, "ID") { // BUILDID
		n.meaning |= identifier
	}
	if strings.HasPrefix(text, "BUNDLE_") && strings.Contains(text, "__") {
		n.meaning |= login // bundle-config(1)
	}
	if strings.HasPrefix(text, "npm_package_") {
		n.suspicion = unsuspicious // what package.json has
	}
	n.socket = n.socket && n.meaning&setting == 0
	n.public = n.public || strings.Contains(text, "PUBLIC_") || strings.HasPrefix(text, "VITE_") ||
		strings.HasPrefix(text, "REACT_APP_")
	return n
}

var (
	acronym = pattern(`(\p{Lu})(\p{Lu}\p{Ll})`) // HTTPServer
	hump    = pattern(`([\p{Ll}\d])(\p{Lu}\p{Ll})`)
)

// splitName splits a name into words in capitals. A word ends at a character that is no
// letter or digit, and before a capital that begins a word in camel case. Digits at the
// end of a word do not belong to it.
func splitName(text string) (words []string) {
	if strings.ToUpper(text) != text {
		text = hump().ReplaceAllString(acronym().ReplaceAllString(text, "${1}_$2"), "${1}_$2")
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if word = strings.TrimRight(word, "0123456789"); word != "" {
			words = append(words, strings.ToUpper(word))
		}
	}
	return words
}
