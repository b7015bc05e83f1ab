package secret

import (
	"slices"
	"strings"
)

// There is no list of variables that commands need: what does not look like a
// secret is passed. Nothing here proves that a value is none. A password that is
// a plain word, under a name that says nothing, can't be told from a setting.

// EnvWithheld is the variable that names to programs in ua-sandbox the variables that it
// has withheld, separated by spaces.
const EnvWithheld = "UA_WITHHELD"

// Environ splits an environment of NAME=VALUE into what a command gets, and the sorted
// names of variables that are withheld because they look like secrets. A NAME in allow is
// kept, and a NAME=VALUE in allow is set. Entries without "=" are dropped.
func Environ(env, allow []string) (kept, withheld []string) {
	return Split(env, allow, Variable)
}

// Split is Environ with another judge of what looks like a secret.
func Split(env, allow []string, looks func(name, value string) bool) (kept, withheld []string) {
	set := map[string]string{}
	for _, a := range allow {
		name, _, isSet := strings.Cut(a, "=")
		if set[name] = ""; isSet {
			set[name] = a
		}
	}
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		given, allowed := set[name]
		switch {
		case !ok || given != "":
		case allowed || !looks(name, value):
			kept = append(kept, kv)
		default:
			withheld = append(withheld, name)
		}
	}
	for _, a := range allow {
		if name, _, _ := strings.Cut(a, "="); set[name] == a && a != name {
			kept = append(kept, a)
		}
	}
	slices.Sort(withheld)
	return kept, slices.Compact(withheld)
}

// Withheld returns one line, without its end, about names that Environ has withheld, or
// "" for none.
func Withheld(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "kept from commands, because they look like secrets: " + strings.Join(names, " ") +
		" (--env NAME passes one)"
}

// Variable reports whether an environment variable looks like a secret: by its value
// alone, or by its name unless the value is clearly a setting, an identifier or a path.
func Variable(name, value string) bool {
	if value == "" || name == "PWD" || name == "OLDPWD" {
		return false
	}
	n := readName(name)
	switch {
	case known(n, value):
		return true
	case n.about >= likely:
		return !harmless(n, value)
	case n.grants() && opaque(value):
		return true
	}
	return !n.public && !n.identifies && !isPrompt(name) && unexplained(n, value)
}

// unexplained reports whether the value is random and the name does not explain it: a
// commit is hexadecimal, and a run can be a UUID.
func unexplained(n name, value string) bool {
	if n.revision && len(value) >= minWhole {
		value = withoutHex(value)
	}
	if len(value) < minWhole {
		return false
	}
	if text, ok := decoded(value); ok {
		return random(text) || withoutUUIDs(text) != text
	}
	return !n.revision && keyUUID(value) || mnemonic(value) || random(value)
}

// keyUUID reports whether the value is UUIDs with no more than the few letters by which a
// service marks its keys.
func keyUUID(value string) bool {
	rest := withoutUUIDs(value)
	if rest == value {
		return false
	}
	rest = strings.Trim(rest, " -_:|.")
	return len(rest) <= 8 && onlyLetters(strings.Trim(rest, " -_:|"))
}

// isPrompt reports whether the name is that of a shell's prompt. ua-shell's marks in it
// contain random characters.
func isPrompt(name string) bool { return name == "PS1" || name == "PROMPT" || name == "RPROMPT" }

// grants reports whether the name ends in a word for what a key grants, without the word
// KEY: VAPID_PRIVATE, BUNNY_ACCESS.
func (n name) grants() bool {
	if len(n.words) < 2 {
		return false
	}
	switch n.words[len(n.words)-1] {
	case "PRIVATE", "ACCESS", "API":
		return true
	}
	return false
}

// opaque reports whether the value is one long word that names nothing: a UUID, or
// letters and digits without the characters that separate names, hosts and paths.
func opaque(value string) bool {
	if len(value) == uuidLength && isUUID(value) {
		return true
	}
	return len(value) >= 24 && !strings.ContainsAny(value, ":/. ,_") && !plain(value, 2)
}

// Name reports whether a variable of that name holds a secret, whatever its value is.
func Name(name string) bool {
	n := readName(name)
	return n.about == sure && !n.setting
}
