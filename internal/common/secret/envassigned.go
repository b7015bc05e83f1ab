package secret

import "strings"

// header matches an HTTP header with a credential.
var header = pattern(`(?i)\b(authorization:\s*\w+|bearer|x-api-key:)\s+\S{8,}|` +
	`^basic\s+[\w+/=]{8,}$`)

// namesHeader reports whether header could match. Most values need no such pattern.
func namesHeader(value string) bool {
	if !strings.ContainsAny(value, " \t\n\f\r") {
		return false
	}
	low := strings.ToLower(value)
	return strings.Contains(low, "authorization:") || strings.Contains(low, "bearer") ||
		strings.Contains(low, "x-api-key:") || strings.HasPrefix(low, "basic")
}

// assigns reports whether the value assigns a secret to a name inside of it, as
// connection strings, queries, options and documents do: NAME=VALUE, "NAME": "VALUE",
// NAME: VALUE on a line, <NAME>VALUE</NAME>.
func assigns(value string) bool {
	if namesHeader(value) && header().MatchString(value) {
		return true
	}
	if lines(value) {
		return true
	}
	for i := 1; i < len(value); i++ {
		end := i
		switch value[i] {
		case '=':
			if i+1 < len(value) && value[i+1] == '=' || value[i-1] == '!' || value[i-1] == '=' {
				continue
			}
			end = len(strings.TrimRight(value[:i], ` \"'])`))
		case ':':
			if end = len(strings.TrimRight(value[:i], ` \"'`)); !colonAssigns(value, end, i) {
				continue
			}
		case '>':
		case ' ':
			if i+1 == len(value) || value[i+1] != '"' { // EDN and Lisps: :password "VALUE"
				continue
			}
		default:
			continue
		}
		start := end
		for start > 0 && inName(value[start-1]) {
			start--
		}
		switch {
		case start == end:
			continue
		case value[i] == '>' && (start == 0 || value[start-1] != '<'),
			value[i] == ' ' && (start == 0 || value[start-1] != ':'):
			continue
		}
		n := readName(value[start:end])
		if n.about == none {
			if value[i] != '=' || value[start:end] != "p" || !strings.Contains(value, "?u=") &&
				!strings.Contains(value, "&u=") {
				continue
			}
			n.about = sure // http://host/?u=NAME&p=PASSWORD
		}
		if text := assignedText(value[i+1:]); !stands(text) && !harmless(n, text) {
			return true
		}
	}
	return false
}

// lines reports whether one of several lines is NAME VALUE, as in some settings files,
// where the value is a secret.
func lines(value string) bool {
	if !strings.Contains(value, "\n") {
		return false
	}
	for line := range strings.Lines(value) {
		f := strings.Fields(line)
		if len(f) != 2 || countName(f[0]) != len(f[0]) {
			continue
		}
		if n := readName(f[0]); n.about == sure && !stands(f[1]) && !harmless(n, f[1]) {
			return true
		}
	}
	return false
}

// colonAssigns reports whether the colon at i, after the name that ends at end, assigns a
// value. The name is in quotes, or it begins a line or an entry and the rest is one word.
func colonAssigns(value string, end, i int) bool {
	if end < i && strings.ContainsAny(value[end:i], `"'`) {
		return true
	}
	rest := value[i+1:]
	if rest == "" || rest[0] != ' ' && rest[0] != '"' {
		return false
	}
	start := end
	for start > 0 && inName(value[start-1]) {
		start--
	}
	before := strings.TrimRight(value[:start], ` -"'`)
	if before != "" && strings.IndexByte("\n{,[&;", before[len(before)-1]) < 0 {
		return false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	line = strings.TrimRight(line, " }]")
	return strings.IndexByte(line, ' ') < 0 || strings.HasPrefix(line, `"`) ||
		strings.HasPrefix(line, `'`) || strings.ContainsAny(line[:strings.IndexByte(line, ' ')], ",#")
}

// assignedText returns the value at the start of the text, without quotes.
func assignedText(text string) string {
	text = strings.TrimLeft(text, " >\\\"'`")
	if stop := strings.IndexAny(text, ";&,\"'`\\ \t\r\n<}"); stop >= 0 {
		text = text[:stop]
	}
	return text
}
