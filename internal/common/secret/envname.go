package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much the name of a variable speaks for a secret.
type suspicion int

const (
	none   suspicion = iota
	likely           // the value decides: KEY, SESSION, AUTH
	sure             // only a value that can be no secret clears it: PASSWORD, TOKEN
)

// A name is what the words of a variable's name tell.
type name struct {
	about      suspicion
	setting    bool // it is about a property of a secret: TOKEN_LIMIT, JWT_ISSUER
	identifies bool // it names a commit, a digest, an account: random, but no secret
	public     bool // it is the public half of a pair of keys
	socket     bool // it is the address of an agent, which gives what it guards
	words      []string
}

// readName reads the words of a variable's name.
func readName(text string) (n name) {
	n.words = splitName(text)
	for i, word := range n.words {
		if has(isInnocent, word) {
			continue
		}
		n.about = max(n.about, n.word(i, word))
		n.identifies = n.identifies || has(identifies, word)
		n.socket = n.socket || word == "SOCK" &&
			(i+1 == len(n.words) || !has(isSetting, n.words[len(n.words)-1]))
	}
	if bundler(text) {
		n.about = max(n.about, likely)
	}
	if k := len(n.words); k > 0 {
		n.setting = has(isSetting, n.words[k-1])
	}
	return n
}

// bundler reports whether Bundler takes the variable for the credentials of a host,
// as BUNDLE_GEMS__EXAMPLE__COM (bundle-config(1)).
func bundler(text string) bool {
	rest, ok := strings.CutPrefix(text, "BUNDLE_")
	section, _, host := strings.Cut(rest, "__")
	return ok && host && section != "BUILD" && section != "LOCAL" && section != "MIRROR"
}

// word returns what the word at the place i of the name adds to the suspicion.
func (n *name) word(i int, word string) suspicion {
	before := ""
	if i > 0 {
		before = n.words[i-1]
	}
	switch {
	case word == "KEY" || word == "KEYS":
		switch {
		case has(makesKeyPublic, before):
			n.public = true
			return none
		case has(makesKeyOther, before):
			return none
		case has(makesKeySure, before):
			return sure
		}
		return likely
	case has(isSure, word), word == "AUTH" && i > 0 && i+1 == len(n.words):
		return sure
	case has(isLikely, word):
		return likely
	}
	return none
}

// splitName splits a name into words in capitals: at what is no letter or digit,
// and before a capital that begins a word in camel case. Digits at the end of a
// word are not a part of it.
func splitName(text string) []string {
	words := make([]string, 0, 4)
	start, before := -1, rune(0)
	end := func(i int) {
		if start < 0 {
			return
		}
		if w := strings.TrimRight(strings.ToUpper(text[start:i]), "0123456789"); w != "" {
			words = append(words, w)
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			continue
		case start >= 0 && unicode.IsUpper(r) && beginsWord(before, text[i+utf8.RuneLen(r):]):
			end(i)
		}
		if start < 0 {
			start = i
		}
		before = r
	}
	end(len(text))
	return words
}

// beginsWord reports whether a capital between the two begins a word: behind a small
// letter, or before one, as the S in HTTPServer.
func beginsWord(before rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsUpper(before) || unicode.IsLower(next)
}
