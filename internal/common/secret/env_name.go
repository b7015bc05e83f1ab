package secret

import (
	"slices"
	"strings"
	"sync"
	"unicode"
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

// Words of names, in capitals and singular. One that begins with "-" also matches
// the end of a longer word.
const (
	sureWords = `
		SECRET TOKEN PASSWORD PASSWD PASSPHRASE PASS PASSCODE PASSWORT PW PWD PSW PAT CREDENTIAL
		CRED JWT MNEMONIC BEARER AUTHORIZATION APIKEY SOCK -SECRET -TOKEN -PASSWORD -PASSWD
		-PASSPHRASE -PASS -APIKEY -ACCESSKEY -PRIVATEKEY -SECRETKEY -AUTHKEY -CREDENTIAL`

	likelyWords = `
		KEY -KEY AUTH OAUTH SESSION COOKIE DSN WEBHOOK SALT PEPPER SEED PIN OTP NONCE SIG
		SIGNATURE LICENSE LICENCE SAS CONNSTR IDENT HMAC -PASSWORDS`

	// What makes a key of KEY, and a name without a doubt.
	sureKeys = `
		API ACCESS SECRET PRIVATE MASTER ENCRYPTION ENC CRYPTO CIPHER SIGNING LICENSE AUTH ADMIN
		ACCOUNT SERVICE SSH DEPLOY APP`

	// What makes KEY a name of something else than a secret.
	otherKeys = `
		CACHE SORT PARTITION PRIMARY FOREIGN SHARD RANGE HOT CONFIG`

	publicKeys = `
		PUBLIC PUBLISHABLE PUB`

	innocentWords = `
		BYPASS COMPASS ASKPASS ENCOMPASS TRESPASS MONKEY DONKEY TURKEY HOTKEY HOCKEY WHISKEY`

	// Properties of secrets, as the last word of a name.
	settingWords = `
		LIMIT VERSION ENABLED DISABLED ENABLE DISABLE TTL TIMEOUT EXPIRY EXPIRE EXPIRATION EXP
		IN DAY HOUR MINUTE SECOND MS LENGTH LEN SIZE COUNT MAX MIN TYPE NAME URL URI ENDPOINT
		HOST HOSTNAME PORT PATH FILE FILENAME DIR DIRECTORY FOLDER LOCATION HOME ROOT ALGORITHM
		ALG ALGO ISSUER AUDIENCE HEADER PREFIX SUFFIX MODE METHOD POLICY PROVIDER BACKEND STORE
		STORAGE DRIVER ENGINE DOMAIN REALM REQUIRED REQUIRE ROTATION FORMAT ROUND COST REGION
		ARN LEVEL STRATEGY AGE LIFETIME DURATION INTERVAL SAMESITE SECURE HTTPONLY SCOPE CLAIM
		CLASS SERVICE SERVER ADDR BYTE BIT CURVE CIPHER USAGE SERIALIZER DESERIALIZER CHECKING
		HELPER COMMAND CMD PROGRAM MANAGER TABLE COLUMN FIELD USER USERNAME ALIAS PARALLELISM
		MECHANISM CONNECTION PLUGIN MODEL BUDGET QUOTA WINDOW RATE DELAY RETRY`

	// Names of things that have random identifiers.
	idWords = `
		SHA COMMIT REV REVISION REF HASH DIGEST CHECKSUM ID UUID GUID SID ETAG FINGERPRINT
		TRACEPARENT TRACE BUILD VERSION TAG IMAGE INTEGRITY SLUG RELEASE PARENT STREAM VCS
		ORGANIZATION ORG ACCOUNT PROJECT TEAM TENANT TENANCY SUBSCRIPTION WORKSPACE RECIPIENT
		-COMMIT -VERSION -ID -SHA -REVISION`
)

// lists are the lists of words above, read when they are first needed.
var lists = sync.OnceValue(func() (l struct {
	sure, likely, sureKeys, otherKeys, publicKeys, innocent, setting, id wordList
}) {
	l.sure, l.likely = newList(sureWords), newList(likelyWords)
	l.sureKeys, l.otherKeys, l.publicKeys = newList(sureKeys), newList(otherKeys), newList(publicKeys)
	l.innocent, l.setting, l.id = newList(innocentWords), newList(settingWords), newList(idWords)
	return l
})

// A wordList is words, and ends of words.
type wordList struct {
	whole map[string]bool
	ends  []string
}

func newList(rows string) wordList {
	l := wordList{whole: map[string]bool{}}
	for _, row := range strings.Fields(rows) {
		if end, ok := strings.CutPrefix(row, "-"); ok {
			l.ends = append(l.ends, end)
		} else {
			l.whole[row] = true
		}
	}
	return l
}

// has says whether the list has the word, in its singular.
func (l wordList) has(word string) bool {
	for _, w := range []string{word, strings.TrimSuffix(word, "S")} {
		ends := func(end string) bool { return strings.HasSuffix(w, end) }
		if l.whole[w] || slices.ContainsFunc(l.ends, ends) {
			return true
		}
	}
	return false
}

// readName reads the words of a variable's name.
func readName(text string) (n name) {
	n.words = splitName(text)
	for i, word := range n.words {
		if lists().innocent.has(word) {
			continue
		}
		n.about = max(n.about, n.word(i, word))
		n.identifies = n.identifies || lists().id.has(word)
		n.socket = n.socket || word == "SOCK"
	}
	if bundler(text) {
		n.about = max(n.about, likely)
	}
	if k := len(n.words); k > 0 {
		n.setting = lists().setting.has(n.words[k-1])
	}
	return n
}

// bundler says whether Bundler takes the variable for the credentials of a host,
// as BUNDLE_GEMS__EXAMPLE__COM (bundle-config(1)).
func bundler(text string) bool {
	rest, ok := strings.CutPrefix(text, "BUNDLE_")
	section, _, host := strings.Cut(rest, "__")
	return ok && host && section != "BUILD" && section != "LOCAL" && section != "MIRROR"
}

// word is what the word at the place i of the name adds to the suspicion.
func (n *name) word(i int, word string) suspicion {
	before := ""
	if i > 0 {
		before = n.words[i-1]
	}
	switch {
	case word == "KEY" || word == "KEYS":
		switch {
		case lists().publicKeys.has(before):
			n.public = true
			return none
		case lists().otherKeys.has(before):
			return none
		case lists().sureKeys.has(before):
			return sure
		}
		return likely
	case lists().sure.has(word):
		return sure
	case lists().likely.has(word):
		return likely
	}
	return none
}

// splitName splits a name into words in capitals: at what is no letter or digit,
// and before a capital that begins a word in camel case. Digits at the end of a
// word are not a part of it.
func splitName(text string) (words []string) {
	runes := []rune(text)
	start := 0
	add := func(end int) {
		if w := strings.TrimRight(strings.ToUpper(string(runes[start:end])), "0123456789"); w != "" {
			words = append(words, w)
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && beginsWord(runes, i):
			add(i)
		}
	}
	add(len(runes))
	return words
}

// beginsWord says whether the capital at the place begins a word: behind a small
// letter, or before one, as the S in HTTPServer.
func beginsWord(runes []rune, i int) bool {
	return !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
