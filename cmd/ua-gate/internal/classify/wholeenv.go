package classify

import "strings"

// environment is the rule for a text of some language that takes the whole environment, as env
// does: that is no more than env is, but who picks secrets out of it reads them.
func (a *argv) environment(text string) {
	a.out |= fromSecret
	if picksSecrets(text) {
		a.p.raise(destructive, "env:secret", a.name+" picks secret variables")
	}
}

// picksSecrets reports whether a text names secret variables, in whatever way: by their names, by
// pieces of names that it joins or compares, by the beginnings that tokens have, or by a name that
// it decodes. What it sets, or only asks to be there, it does not read.
func picksSecrets(text string) bool {
	text = joinedTexts.replace(envTests.replace(text, "${1}0${2}"), "")
	if !destructured.match(text) {
		text = setNames.replace(text, "0")
	}
	for _, at := range envWord.get().FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		if !holdsSecret(name) && !inList(shortNames, name) {
			continue
		}
		if !strings.Contains(name, "_") && !quotedAt(text, at[0], at[1]) {
			continue // a variable of the text, or a word
		}
		return true
	}
	return tokenBegins.match(text) || decodes.match(text) ||
		anyCase.match(text) && pickedWord.match(text) ||
		pickedNames.match(text) || pickedBy.match(text)
}

// shortNames are words that alone say that a variable is a secret, where they are in quotes.
const shortNames = " TOKEN TOKENS KEY KEYS SECRETS PASSWD CRED CREDS AUTH "

// quotedAt reports whether what stands there is in quotes, between slashes, or a member's name.
func quotedAt(text string, from, to int) bool {
	const marks = "\"'`/%*$^_|(.<"
	return from > 0 && strings.IndexByte(marks, text[from-1]) >= 0 || to < len(text) &&
		strings.IndexByte("\"'`/%*_|", text[to]) >= 0
}

var (
	// the environment as a whole, in the languages that are read
	wholeEnv = regex{text: `os\.environ(?:\.(?:items|keys|values|copy)|[^.\w\[])|[%@&]ENV|` +
		`\bENV\.(?:to_h|to_a|each|select|filter|map|find|reject|keys|sort|grep|any|` +
		`partition|slice|sum|reduce|inject|flat_map|values|dig|fetch_values|assoc)|(?:entries|keys|` +
		`values|stringify|fromEntries)\(\s*process\.env\b|` +
		`in process\.env\b|\(\s*process\.env\s*[,)]|(?:\.\.\.|=\s*)process\.env\b(?:[^.\w\[?]|$)|` +
		`(?:getenv|get_env|toObject|environ|env)\(\s*(?:\)|c\()|` +
		`\$_(?:ENV|SERVER)\b|(?:in|keys\(|pairs\(|[,(=])\s*ENV\b(?:[^.\w\[]|$)|\b(?:sys|System|Bun|` +
		`meta)\.env\b|expandvars|\buse Env\b|Sys\.getenv\b`}
	// what picks of it what has the name of a secret
	pickedBy = regex{text: `(?:["'/]|\bqr?[/{(])\^?[(.*]*[A-Z_|]*(?:TOKEN|SECRET|PASSW|KEY|` +
		`CRED)[A-Z_|.*)]*\$?["'/})]|` +
		`/[a-z_|]*(?:token|secret|passw|cred)[a-z_|]*/i|` +
		`/[^/\n]*(?:TOKEN|SECRET|PASSW|CRED)[^/\n]*/`}
	pickedNames = regex{text: `["'][A-Za-z_]*(?:TOKEN|SECRET|PASSW|KEY|CRED|token|secret|` +
		`passw)[A-Za-z_]*["'] in `}

	envWord = regex{text: `\b[A-Z][A-Z0-9_]{2,}\b`}

	// texts that are joined: "GITHUB_" + "TOKEN"
	joinedTexts = regex{text: `["']\s*(?:\+|\.{1,2}|~|<>|\|\||&|\^|\*)?[ \t]*["']`}

	// what only asks whether a variable is there
	envTests = regex{text: `((?:\b(?:if|and|or|not)|[,(:=])\s*)["']?\w+["']? (?:not )?in ` +
		`(?:os\.environ|process\.env)([^.\w\[]|$)|\b(?:exists|defined)[( ]\s*\$ENV\{\w+\}|` +
		`\bENV\.(?:key|has_key|include|member)\?[( ` +
		`]\s*["']\w+["']|!!\s*process\.env\.\w+|\bhaskey\(ENV, *"\w+"\)|%\*ENV<\w+>:exists|` +
		`\bENV\.has_key\(["']\w+["']\)|\bbool\(os\.environ\.get\(["']\w+["']\)\)`}

	// the names of variables that the text sets
	setNames = regex{text: `["'<]?\b[A-Z][A-Z0-9_]*["'>]?\s*\]?\s*(?::\s|:["'{$]|=>|(?:\|\||` +
		`\?\?)?=[^=~])`}

	// names are taken out of an object: {A: a} = process.env
	destructured = regex{text: `\{[^{}]*\b[A-Z][A-Z0-9]*_[A-Z0-9_]+[^{}]*\}\s*=[^=>]|\bas\s*[\[{]`}

	// the beginnings of the tokens of well-known services
	tokenBegins = regex{text: `["'/^](?:gh[pousr]_|github_pat_|AKIA|ASIA|sk-|xox[abp]|glpat-|eyJ|` +
		`AIza|dop_v1|hf_)`}

	// what makes readable what nobody reads
	decodes = regex{text: `b64decode|base64|atob\(|frombase64|fromCharCode|fromCodePoint|` +
		`unhexlify|fromhex|rot_?13|@base64d|\bimplode\b|strrev|` +
		`\[::-1\]|\.reverse\b|\bunpack1?[( ]|\bpack[( ]["']|chr\(|codecs\.decode|decode64|decodestring`}

	// what compares without regard to case, and the pieces of names in lower case
	anyCase = regex{text: `(?i)\bre\.I|IGNORECASE|lower|upper|downcase|upcase|/i\b|["'] *[,;] ` +
		`*["']\w*i\w*["']|\(\?i|casecmp|stripos|stristr|ignore\.case|` +
		`case_insensitive|caseless|ci:|fc\(|:i\b|/[a-z|]+/i`}
	pickedWord = regex{text: `["'/|(^*_](?:token|secret|passw|password|api_?key|apikey|credential|` +
		`private|auth|_key|key)s?[a-z]*["'/|)*_$.]`}
)
