package classify

import (
	"slices"
	"strings"
)

// shell returns the name of the shell whose language is being read.
func (w *walker) shell() string {
	if w.o.Shell == "" {
		return "bash"
	}
	return w.o.Shell
}

// dialect reads the script of a shell that the command starts in its language.
func (a *argv) dialect(run func()) {
	outer, plain := a.w.o, a.w.plainSh
	a.w.plainSh = inList(" sh dash ash ", a.name)
	switch a.name {
	case "zsh", "bash", "fish":
		a.w.o = outer.in(a.name)
	case "sh", "dash", "ash", "ksh", "mksh":
		a.w.o = outer.in("bash")
	}
	a.w.own++
	run()
	a.w.own--
	a.w.o, a.w.plainSh = outer, plain
}

// fishShell reads the words of fish: -c and -C run scripts.
func (a *argv) fishShell() {
	for _, u := range a.used {
		if u.name != "-c" && u.name != "--command" && u.name != "-C" && u.name != "--init-command" {
			continue
		}
		if !u.val.plain() {
			a.p.raise(destructive, "fish -c", "fish runs a script that is not known")
			continue
		}
		text := u.val.text
		a.dialect(func() { a.w.fish(text, a.sc.sub(), &a.p.Parts) })
		a.base = readOnly
	}
	switch {
	case a.base == readOnly:
	case len(a.operands) > 0:
		a.base = readOnly
		a.scriptFile(a.operands[0])
	default:
		a.w.scriptInput(a.p, a.in, a.name)
	}
}

// fishWords are the builtins that fish alone has: in another shell the same word is
// some program.
const fishWords = " string math status count contains random argparse functions abbr emit block " +
	"commandline set_color isatty psub prevd nextd dirh fish_add_path funcsave funced fish_config " +
	"fish_update_completions fish_opt fish_indent path "

// fish classifies a command for fish: it is written again as the other shells have it,
// and what has no counterpart there is not seen, and so at least destructive.
func (w *walker) fish(command string, sc *scope, parts *[]Part) {
	f := fishScript{text: command}
	text := f.list(false)
	if f.lost || f.pos < len(f.text) {
		w.unread(parts, nil, "dialect:fish", "not understood as a script of fish")
		return
	}
	if f.keeps {
		w.fact(parts, nil, destructive, "fish:universal",
			"sets a variable for this and every later shell")
	}
	w.text(text, stream{}, sc, parts)
}

// list reads statements up to the end of the text, of a substitution, or of a block.
func (f *fishScript) list(inside bool) string {
	var b strings.Builder
	for !f.lost {
		f.blanks()
		switch c := f.peek(0); {
		case f.pos >= len(f.text):
			return b.String()
		case c == ')':
			if !inside {
				f.lose()
			}
			return b.String()
		case c == ';' || c == '\n':
			f.pos++
			continue
		}
		if word := f.keyword(); word == "end" || word == "else" || word == "case" || word == "}" {
			return b.String()
		}
		b.WriteString(f.statement())
		f.blanks()
		if f.peek(0) == '&' && f.peek(1) != '&' {
			f.pos++
			b.WriteString(" &")
		}
		b.WriteByte('\n')
	}
	return ""
}

// keyword returns the bare word that comes next, without taking it.
func (f *fishScript) keyword() string {
	end := f.pos
	for end < len(f.text) && !fishEnds(f.text[end]) {
		end++
	}
	return f.text[f.pos:end]
}

// take takes the bare word if it comes next.
func (f *fishScript) take(word string) bool {
	if f.keyword() != word {
		return false
	}
	f.pos += len(word)
	f.blanks()
	return true
}

// statement reads commands joined by pipes, && and ||.
func (f *fishScript) statement() string {
	if f.take("and") || f.take("or") {
		return "if :; then " + f.statement() + "\nfi"
	}
	var b strings.Builder
	for !f.lost {
		for f.take("not") || f.take("!") {
			b.WriteString("! ")
		}
		if f.take("time") {
			b.WriteString("time ")
		}
		b.WriteString(f.block())
		f.blanks()
		joined := ""
		for _, op := range [][2]string{{"&&", "&&"}, {"||", "||"}, {"&|", "|&"}, {"2>|", "|&"},
			{">|", "|"},
			{"|", "|"}} {
			if strings.HasPrefix(f.text[min(f.pos, len(f.text)):], op[0]) {
				f.pos += len(op[0])
				joined = op[1]
				break
			}
		}
		if joined == "" {
			return b.String()
		}
		b.WriteString(" " + joined + " ")
		for f.blanks(); f.peek(0) == '\n'; f.blanks() {
			f.pos++
		}
		if joined == "&&" || joined == "||" {
			continue
		}
	}
	return ""
}

// block reads a block or a simple command.
func (f *fishScript) block() string {
	if f.depth++; f.depth > maxFish {
		return f.lose()
	}
	defer func() { f.depth-- }()
	switch {
	case f.take("begin"), f.take("{"):
		return "{ :\n" + f.list(false) + f.end("end", "}") + "\n}" + f.tail()
	case f.take("if"):
		return f.ifBlock() + f.tail()
	case f.take("while"):
		return "while " + f.statement() + "\ndo :\n" + f.list(false) + f.end("end") + "\ndone" +
			f.tail()
	case f.take("for"):
		name, _ := f.word()
		if f.blanks(); !isName(name) || !f.take("in") {
			return f.lose()
		}
		return "for " + name + " in " + strings.Join(f.words(nil), " ") + "\ndo :\n" +
			f.list(false) +
			f.end("end") + "\ndone" + f.tail()
	case f.take("switch"):
		return f.switchBlock() + f.tail()
	case f.take("function"):
		return f.function()
	}
	return f.command()
}

func (f *fishScript) ifBlock() string {
	text := "if " + f.statement() + "\nthen :\n" + f.list(false)
	for f.take("else") {
		if f.take("if") {
			text += "elif " + f.statement() + "\nthen :\n" + f.list(false)
		} else {
			text += "else :\n" + f.list(false)
		}
	}
	return text + f.end("end") + "\nfi"
}

func (f *fishScript) switchBlock() string {
	over := f.words(nil)
	if len(over) != 1 {
		return f.lose()
	}
	text := "case " + over[0] + " in\n"
	for f.list(false) == "" && f.take("case") {
		var plain []string
		patterns := f.words(&plain)
		if len(patterns) == 0 {
			return f.lose()
		}
		for i, p := range plain { // quotes take nothing from a pattern's * and ?
			if strings.ContainsAny(p, "*?") && strings.IndexFunc(p, func(r rune) bool {
				return r > 127 || !nameByteOf(byte(r)) && !strings.ContainsRune("*?.-/", r)
			}) < 0 {
				patterns[i] = p
			}
		}
		text += "(" + strings.Join(patterns, "|") + ") :\n" + f.list(false) + ";;\n"
	}
	return text + f.end("end") + "esac"
}

// function reads a definition. The names that -a gives to its arguments are set first.
func (f *fishScript) function() string {
	var plain []string
	words := f.words(&plain)
	if len(words) == 0 || plain[0] == "" || strings.Trim(plain[0],
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "" ||
		strings.HasPrefix(plain[0], "-") {
		return f.lose()
	}
	text, named := plain[0]+"() {\n:\n", false
	n := 0
	for _, p := range plain[1:] {
		switch {
		case p == "-a" || p == "--argument-names" || p == "--argument":
			named = true
		case strings.HasPrefix(p, "-"):
			named = false
		case named && isName(p):
			if n++; n < 10 {
				text += p + "=${" + string(rune('0'+n)) + "}\n"
			}
		}
	}
	return text + f.list(false) + f.end("end") + "}"
}

// end takes the word that ends a block.
func (f *fishScript) end(words ...string) string {
	for _, w := range words {
		if f.take(w) {
			return ""
		}
	}
	return f.lose()
}

// tail reads the redirections behind a block.
func (f *fishScript) tail() string {
	text := ""
	for f.blanks(); !f.lost; f.blanks() {
		r, is := f.redirection()
		if !is {
			return text
		}
		text += " " + r
	}
	return ""
}

// words reads words up to the end of the command. plain, if it is there, gets their
// texts as far as nothing in them is expanded.
func (f *fishScript) words(plain *[]string) (list []string) {
	for f.blanks(); !f.lost && f.pos < len(f.text) &&
		strings.IndexByte("\n;|)&", f.peek(0)) < 0; f.blanks() {
		if r, is := f.redirection(); is {
			list = append(list, r)
			if plain != nil {
				*plain = append(*plain, "")
			}
			continue
		}
		if strings.IndexByte("<>", f.peek(0)) >= 0 || strings.HasPrefix(f.text[f.pos:], "2>|") {
			break
		}
		before := f.pos
		word, text := f.word()
		if f.pos == before {
			f.lose()
		}
		list = append(list, word)
		if plain != nil {
			*plain = append(*plain, text)
		}
	}
	if f.peek(0) == '&' && f.peek(1) == '>' {
		if r, is := f.redirection(); is {
			list = append(list, r)
			return append(list, f.words(plain)...)
		}
	}
	return list
}

// isName reports whether the text is the name of a variable.
func isName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return r > 127 || !nameByteOf(byte(r))
	}) < 0 && (text[0] < '0' || text[0] > '9')
}

// command reads a simple command.
func (f *fishScript) command() string {
	var plain []string
	words := f.words(&plain)
	if len(words) == 0 {
		return f.lose()
	}
	for len(plain) < len(words) {
		plain = append(plain, "")
	}
	if plain[0] == "builtin" && len(plain) > 1 && plain[1] == "history" {
		words, plain = words[1:], plain[1:]
	}
	switch plain[0] {
	case "end", "else", "case", "in":
		return f.lose()
	case "set":
		return f.set(words[1:], plain[1:])
	case "command", "builtin":
		if len(plain) > 1 && slices.Contains([]string{"-q", "-s", "-a", "-v", "--query", "--search",
			"--all"}, plain[1]) {
			words[1] = "-v"
		}
	case "alias":
		return f.alias(plain[1:])
	case "read":
		return f.read(words, plain)
	case "argparse":
		if strings.Contains(strings.Join(words, " "), "!") {
			return f.lose() // a script that checks a value
		}
	case "history":
		if len(plain) > 1 && inList(" clear delete clear-session ", plain[1]) {
			words = []string{"history", "-c"}
		} else {
			return f.lose() // it prints what a person has typed
		}
	case "bind":
		if len(words) > 2 {
			words = []string{"bind", "-x", "_"}
		}
	case "complete":
		if strings.Contains(strings.Join(plain, " "), "(") || slices.Contains(plain, "-n") {
			return f.lose()
		}
	}
	return strings.Join(words, " ")
}
