package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// highest returns the level of the parts with all that is in them.
func highest(parts []Part) (l verdict.Level) {
	for i := range parts {
		l = max(l, parts[i].Level, highest(parts[i].Parts))
	}
	return l
}

// xargs gives its command words that nobody has seen.
func (a *argv) xargs() {
	if file, ok := a.value("-a", "--arg-file"); ok {
		a.in = stream{bits: file.from, open: true}
	}
	unseen := word{text: hole, from: a.in.bits, multi: true}
	mark, replace := a.value("-I", "-i", "--replace", "-J")
	if replace && mark.text == "" {
		mark.text = "{}"
	}
	if len(a.rest) == 0 {
		return
	}
	words := append([]word(nil), a.rest...)
	a.rest = nil
	before := len(a.p.Parts)
	defer func() {
		if a.in.bits&fromOutside != 0 && highest(a.p.Parts[before:]) == write && !copies(words[0].text) {
			a.p.raise(destructive, "path:outside", "writes files that another command found outside")
		}
	}()
	given := strings.Fields(strings.ReplaceAll(a.in.text, "\x00", " "))
	if a.in.known && !replace && len(given) <= maxBraces && !strings.ContainsAny(a.in.text, `"'\`) {
		for _, text := range given {
			words = append(words, word{text: text, from: a.in.bits})
		}
		a.out |= a.w.run(words, stream{}, a.sc.sub(), &a.p.Parts).bits
		return
	}
	if replace {
		for i := range words {
			if strings.Contains(words[i].text, mark.text) {
				words[i].text = strings.ReplaceAll(words[i].text, mark.text, hole)
				words[i].from |= a.in.bits
				words[i].src = nil
			}
		}
	} else {
		words = append(words, unseen)
	}
	a.out |= a.w.run(words, stream{bits: a.in.bits}, a.sc.sub(), &a.p.Parts).bits
}

// parallel is GNU parallel: its command is shell text, and without one its
// input or its ::: words are the commands.
func (a *argv) parallel() {
	var line, given []word
	list := &line
	for _, wd := range a.rest {
		if strings.HasPrefix(wd.text, ":::") {
			list = &given
			continue
		}
		*list = append(*list, wd)
	}
	a.rest = nil
	switch {
	case len(line) == 0 && len(given) == 0:
		a.w.scriptInput(a.p, a.in, a.name)
	case len(line) == 0:
		for _, g := range given {
			a.script(a.name, g, stream{})
		}
	case len(line) == 1:
		text := line[0]
		text.text = placeholders(text.text)
		if !strings.Contains(line[0].text, "{") {
			text.text += " _"
		}
		a.w.text(strings.ReplaceAll(text.text, hole, "_"), stream{}, a.sc.sub(), &a.p.Parts)
		if strings.HasPrefix(text.text, hole) || strings.HasPrefix(text.text, "_") {
			a.p.raise(destructive, a.name, a.name+" runs commands that are not known")
			a.p.Unread = true
		}
	default:
		words := append([]word(nil), line...)
		for i := range words {
			words[i].text, words[i].src = placeholders(words[i].text), nil
		}
		words = append(words, word{text: hole, from: a.in.bits, multi: true})
		a.out |= a.w.run(words, stream{}, a.sc.sub(), &a.p.Parts).bits
	}
}

// placeholders makes a hole of each {…} that parallel fills in.
func placeholders(text string) string {
	for {
		i := strings.IndexByte(text, '{')
		j := strings.IndexByte(text, '}')
		if i < 0 || j < i {
			return text
		}
		text = text[:i] + hole + text[j+1:]
	}
}

// rsync copies here, unless an operand names another machine.
func (a *argv) rsync() {
	for _, o := range a.operands {
		if host, _, colon := strings.Cut(o.text, ":"); colon && !strings.Contains(host, "/") {
			a.p.raise(network, a.name, a.name+" talks to "+show(host))
		}
	}
}

// docker looks at what of this machine a container gets.
func (a *argv) docker() {
	for _, u := range a.used {
		switch u.name {
		case "-v", "--volume", "--mount":
			src, _, _ := strings.Cut(strings.TrimPrefix(u.val.text, "type=bind,"), ":")
			src = strings.TrimPrefix(strings.TrimPrefix(src, "src="), "source=")
			src, _, _ = strings.Cut(src, ",")
			at := a.w.at(src, a.sc)
			if at.abs == "/" || at.abs == "~" || a.w.kinds(at)&(pathSystem|pathSecret|pathGuarded) != 0 &&
				a.w.kinds(at)&pathOpen == 0 {
				a.p.raise(privileged, "docker -v", "a container gets "+show(src))
			}
		}
	}
}

// socat joins two addresses, some of which are programs and files.
func (a *argv) socat() {
	shell, net := false, false
	for _, o := range a.operands {
		kind, rest, _ := strings.Cut(o.text, ":")
		file, _, _ := strings.Cut(rest, ",")
		switch kind = strings.ToLower(kind); {
		case kind == "exec" || kind == "system" || kind == "shell":
			shell = true
		case strings.HasPrefix(kind, "tcp") || strings.HasPrefix(kind, "udp") ||
			strings.HasPrefix(kind, "ssl") || strings.HasPrefix(kind, "openssl") ||
			strings.HasPrefix(kind, "socks") || strings.HasPrefix(kind, "sctp") ||
			strings.HasPrefix(kind, "dccp") || strings.HasPrefix(kind, "proxy"):
			net = true
		case kind == "open" || kind == "create" || kind == "file" || kind == "gopen":
			if a.w.read(a.p, lit(file), a.sc) {
				a.out |= fromSecret
			}
			a.w.write(a.p, lit(file), a.sc)
		}
	}
	if !net {
		a.base = write
	}
	switch {
	case shell && net:
		a.p.raise(denied, "socat", "socat gives another machine a shell")
	case shell:
		a.p.raise(destructive, "socat", "socat runs a program")
	}
}

// kubectl with --dry-run=client asks no server.
func (a *argv) kubectl() {
	if v, ok := a.value("--dry-run"); ok && v.text == "client" {
		a.base = buildTest
	}
}
