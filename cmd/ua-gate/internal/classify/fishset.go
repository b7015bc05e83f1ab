package classify

import "strings"

// set returns fish's own way to set a variable.
func (f *fishScript) set(words, plain []string) string {
	var flags, redirs string
	n := 0
	for n < len(words) && strings.HasPrefix(plain[n], "-") {
		if long, ok := strings.CutPrefix(plain[n], "--"); ok {
			letter := map[string]string{"query": "q", "erase": "e", "export": "x", "unexport": "u",
				"universal": "U", "append": "a", "prepend": "p", "show": "S", "names": "n"}[long]
			flags += letter
		} else {
			flags += plain[n][1:]
		}
		n++
	}
	f.keeps = f.keeps || strings.Contains(flags, "U")
	words, plain = words[n:], plain[n:]
	for len(words) > 0 && words[len(words)-1] != "" &&
		strings.ContainsAny(words[len(words)-1][:1], "0123456789<>&") &&
		strings.ContainsAny(words[len(words)-1], "<>") && plain[len(words)-1] == "" {
		redirs = " " + words[len(words)-1] + redirs
		words = words[:len(words)-1]
	}
	switch {
	case strings.ContainsAny(flags, "qn"):
		return ":" + redirs
	case len(words) == 0:
		return "env" + redirs
	}
	name, index, _ := strings.Cut(plain[0], "[")
	if !isName(name) {
		return f.lose()
	}
	value := strings.Join(words[1:], " ")
	switch {
	case strings.Contains(flags, "e"):
		return "unset " + name + redirs
	case strings.Contains(flags, "S"):
		return "printf %s \"${" + name + "}\"" + redirs
	case index != "":
		return "read -r " + name + redirs
	case strings.HasSuffix(name, "PATH"):
		value = strings.Join(words[1:], ":")
	case len(words) > 2 && !strings.Contains(flags, "x"):
		value = "(" + value + ")"
	case len(words) > 2:
		value = "\"${_}\"" // several values in one variable
	}
	if strings.ContainsAny(flags, "ap") {
		return name + "=${" + name + "}" + strings.Trim(value, "()") + redirs
	}
	if strings.Contains(flags, "x") {
		return "export " + name + "=" + value + redirs
	}
	return name + "=" + value + redirs
}

// alias returns fish's own way to write a function of one command: alias NAME=COMMAND or
// alias NAME COMMAND.
func (f *fishScript) alias(plain []string) string {
	if len(plain) == 0 {
		return "alias"
	}
	name, body, ok := strings.Cut(plain[0], "=")
	if !ok && len(plain) == 2 {
		body = plain[1]
	}
	inner := fishScript{text: body, depth: f.depth + 1}
	text := inner.list(false)
	if !isName(strings.ReplaceAll(name, "-", "_")) || body == "" || inner.lost ||
		inner.pos < len(body) {
		return f.lose()
	}
	f.keeps = f.keeps || inner.keeps
	return name + "() {\n:\n" + strings.TrimRight(text, "\n") + " \"${@}\"\n}"
}

// read returns read of fish, which runs the text behind -p to print its prompt.
func (f *fishScript) read(words, plain []string) string {
	for i, p := range plain {
		if p != "-p" && p != "--prompt" || i+1 >= len(plain) {
			continue
		}
		inner := fishScript{text: plain[i+1], depth: f.depth + 1}
		text := inner.list(false)
		if plain[i+1] == "" || inner.lost || inner.pos < len(inner.text) {
			return f.lose()
		}
		return "{ :\n" + text + strings.Join(words[:i], " ") + " " +
			strings.Join(words[i+2:], " ") + "\n}"
	}
	for _, p := range plain {
		if strings.HasPrefix(p, "-p") && p != "-p" || strings.HasPrefix(p, "--prompt=") {
			return f.lose()
		}
	}
	return strings.Join(words, " ")
}
