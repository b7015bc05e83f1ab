package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A suspicion is how much the name of a variable speaks for a secret.
type suspicion int

const (
	none   suspicion = iota
	likely           // the value decides: KEY, SESSION, AUTH
	sure             // only a value that can be no secret clears it: PASSWORD, TOKEN
)

// A name is what the words of a variable's name say.
type name struct {
	about      suspicion
	setting    bool // it is about a property of a secret: TOKEN_LIMIT, JWT_ISSUER
	identifies bool // its last word names an account, a digest: random, but no secret
	revision   bool // it names a commit, a run: hexadecimal digits and UUIDs, but no secret
	public     bool // it is the public half of a pair of keys, or compiled into a web page
	socket     bool // it is the address of an agent, which gives what it guards
	account    bool // it names who logs in, perhaps with a password
	soft       bool // more follows the word for the secret, TOKEN or JWT: plain words are none
	keyOnly    bool // the word for the secret is KEY: a fingerprint or an address may name one
	words      []string
}

// readName reads the words of a variable's name.
func readName(text string) (n name) {
	n.words = splitName(text)
	if pages(n.words) {
		n.public = true
	}
	n.keyOnly, n.soft = true, true
	for i, word := range n.words {
		n.revision = n.revision || has(isRevision, word)
		n.account = n.account || has(logsIn, word)
		if has(isInnocent, word) {
			n.public = n.public || word == "PUBKEY" || word == "PUBLICKEY"
			continue
		}
		about := n.word(i, word)
		isKey := strings.HasSuffix(strings.TrimRight(word, "S"), "KEY")
		n.keyOnly = n.keyOnly && (about == none || isKey)
		n.soft = n.soft && (about != sure || i+1 < len(n.words) && (word == "TOKEN" || word == "JWT"))
		n.about = max(n.about, about)
		n.socket = n.socket || word == "SOCK" &&
			(i+1 == len(n.words) || !has(isSetting, n.last()))
	}
	if strings.HasPrefix(text, "npm_package_") {
		n.about = none // what package.json has
	}
	n.soft = n.soft && n.about == sure
	if bundler(text) {
		n.about = max(n.about, likely)
	}
	n.public = n.public || n.has("DSN") && n.has("PUBLIC")
	n.revision = n.revision || n.has("JENKINS", "HUDSON") && n.last() == "COOKIE"
	n.identifies = has(identifies, n.last()) || n.has("IMAGE")
	n.revision = n.revision || n.identifies
	n.setting = has(isSetting, n.last())
	return n
}

// last returns the last word of the name, "" for none.
func (n name) last() string {
	if len(n.words) == 0 {
		return ""
	}
	return n.words[len(n.words)-1]
}

// has reports whether the name has one of the words.
func (n name) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(n.words, w) })
}

// pages reports whether the name begins like those that a builder of web pages or apps
// compiles into what it publishes: NEXT_PUBLIC_…, VITE_….
func pages(words []string) bool {
	if len(words) < 3 {
		return false
	}
	switch words[0] {
	case "VITE", "GATSBY", "STORYBOOK":
		return true
	case "NEXT", "NUXT", "EXPO", "RSBUILD":
		return words[1] == "PUBLIC"
	case "REACT", "VUE":
		return words[1] == "APP"
	}
	return words[0] == "PUBLIC"
}

// bundler reports whether Bundler takes the variable for the credentials of a host, such
// as BUNDLE_GEMS__EXAMPLE__COM (bundle-config(1)).
func bundler(text string) bool {
	rest, ok := strings.CutPrefix(text, "BUNDLE_")
	section, _, host := strings.Cut(rest, "__")
	return ok && host && section != "BUILD" && section != "LOCAL" && section != "MIRROR"
}

// word returns what word i of the name adds to the suspicion.
func (n *name) word(i int, word string) suspicion {
	before, after := "", ""
	if i > 0 {
		before = n.words[i-1]
	}
	if i+1 < len(n.words) {
		after = n.words[i+1]
	}
	stem := strings.TrimSuffix(word, "S")
	switch {
	case stem == "KEY" && has(makesKeyPublic, before):
		n.public = true
		return none
	case stem == "SESSION" && has(makesSessionOther, before):
		n.revision = true
		return none
	case stem == "KEY" && before == "CACHE":
		n.revision = true // the hash of what is kept
		return none
	case stem == "KEY" && has(makesKeyOther, before),
		stem == "TOKEN" && has(makesTokenOther, before),
		word == "SEED" && (before == "RANDOM" || before == "FRANDOM" || before == "HASH"),
		word == "COOKIE" && n.has("JENKINS", "HUDSON"),
		word == "SIGNATURE" && (before == "INSTANCE" || before == "SERVER"),
		word == "PASSWORD" && after == "STORE": // pass(1)
		return none
	case stem == "KEY" && has(makesKeySure, before), has(isSure, word),
		word == "AUTH" && i > 0 && after == "":
		return sure
	case stem == "CODE" && has(makesCodeLikely, before), has(isLikely, word):
		return likely
	}
	return none
}

// logsIn reports whether the word is about who logs in, perhaps as NAME:PASSWORD.
func logsIn(word string) bool {
	switch word {
	case "LOGIN", "BASIC", "USERPWD", "USERPASS", "USER", "ACCOUNT", "AUTH", "LOGON", "SIGNIN":
		return true
	}
	return false
}

// splitName splits a name into words in capitals. A word ends at a character that is no
// letter or digit, and before a capital that begins a word in camel case. Digits at the
// end of a word do not belong to it.
func splitName(text string) []string {
	words := make([]string, 0, 4)
	start, before := -1, rune(0)
	end := func(i int) {
		if start < 0 {
			return
		}
		for i > start && classOf(text[i-1]) == 'd' {
			i--
		}
		if i > start {
			words = append(words, strings.ToUpper(text[start:i]))
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

// beginsWord reports whether a capital between the two begins a word: after a small
// letter, or before one like the S in HTTPServer.
func beginsWord(before rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsUpper(before) || unicode.IsLower(next)
}
