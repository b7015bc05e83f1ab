package secret

import (
	"strings"
	"unicode"
)

// options reports whether the value is options of a program that include a password
// (--password VALUE, -u USER:PASSWORD, -uUSER -pVALUE), or a line of a netrc file.
func options(value string) bool {
	if value[0] != '-' && !strings.ContainsFunc(value, unicode.IsSpace) {
		return false // one word, as most values are
	}
	words := strings.Fields(value)
	user := strings.HasPrefix(value, "sshpass ")
	for i, w := range words {
		user = user || namesUser(w, after(words, i))
	}
	for i, w := range words {
		next := after(words, i)
		switch {
		case w == "password" && next != "" && strings.Contains(value, "login "):
			return true
		case len(w) < 2 || w[0] != '-':
			continue
		case strings.HasPrefix(w, "--"):
			if longOption(w, next) {
				return true
			}
		case w == "-u" || w == "-U" || w == "-a":
			redis := w == "-a" && strings.Contains(value, "-h ") && !plain(next, 0)
			if redis && isPassword(next) || givesPassword(next) {
				return true
			}
		case user && (w == "-A" || w == "-X") && isPassword(next) && !plain(next, 0), // snmpget
			user && (w == "-p" || w == "-P" || w == "-w") && isPassword(next),
			user && w[1] == 'p' && isPassword(w[2:]):
			return true
		}
	}
	return false
}

// after returns the word after the one at i without its quotes, "" if that is an option.
func after(words []string, i int) string {
	if i+1 == len(words) || words[i+1][0] == '-' {
		return ""
	}
	return strings.Trim(words[i+1], `"'`)
}

// namesUser reports whether the option names the user who logs in.
func namesUser(option, next string) bool {
	name, value, inline := strings.Cut(option, "=")
	switch name {
	case "-u", "-U", "-D", "--user", "--username", "--login", "--uid":
		return next != "" || inline && value != ""
	}
	return len(option) > 3 && (option[:2] == "-u" || option[:2] == "-U")
}

// longOption reports whether the option, with the value after it, is a password.
func longOption(option, next string) bool {
	text, value, inline := strings.Cut(option, "=")
	if !inline {
		value = next
	}
	n := readName(text)
	if value == "" || stands(value) {
		return false
	}
	return !inline && n.about != none && !harmless(n, value) || n.account && givesPassword(value)
}

// givesPassword reports whether an option's value for a user is USER:PASSWORD, or
// USER%PASSWORD as Samba takes it. For containers it is USER:GROUP.
func givesPassword(text string) bool {
	text = strings.Trim(text, `"'`)
	at := strings.IndexAny(text, ":%")
	if at < 1 || countName(text[:at]) != at && !isMail(text[:at]) {
		return false
	}
	switch group := text[at+1:]; group {
	case "docker", "staff", "users", "wheel", "root", "nogroup", "www-data", "adm", "sudo", "daemon":
		return false
	default:
		return len(group) > 2 && isPassword(group) && group != text[:at]
	}
}

// isPassword reports whether an option's value may be a password: it is no number, path
// or port, and stands for nothing else.
func isPassword(text string) bool {
	return len(text) > 2 && !stands(text) && strings.Trim(text, "0123456789.:") != "" &&
		strings.IndexByte("/~.-", text[0]) < 0
}

// stands reports whether the text stands for a value that is found elsewhere: $NAME, %s,
// {{ name }}, <name>.
func stands(text string) bool {
	return text == "" || strings.IndexByte("$%<", text[0]) >= 0 || strings.HasPrefix(text, "{{") ||
		strings.HasPrefix(text, "@/") || strings.HasPrefix(text, "***")
}
