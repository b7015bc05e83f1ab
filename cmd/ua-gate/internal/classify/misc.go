package classify

import (
	"strings"
)

// python reads the words of a Python interpreter: -c, -m, or a file.
func (a *argv) python() {
	a.base = readOnly
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.text
		switch {
		case t == "-c" && i+1 < len(a.words):
			a.code(a.name+" -c", a.words[i+1])
			return
		case strings.HasPrefix(t, "-m"):
			rest := a.words[i+1:]
			if t != "-m" {
				rest = append([]word{wd.cut(2)}, rest...)
			}
			a.module(rest)
			return
		case t == "-" || t == "/dev/stdin":
			a.stdinCode()
			return
		case t == "-W" || t == "-X" || t == "--check-hash-based-pycs":
			i++
		case t == "-V" || t == "-VV" || t == "-h":
			return
		case strings.HasPrefix(t, "-") && strings.ContainsAny(t, "c") && !strings.HasPrefix(t, "--") && i+1 < len(a.words):
			a.code(a.name+" -c", a.words[i+1])
			return
		case strings.HasPrefix(t, "-"):
		default:
			a.pythonFile(wd, a.words[i+1:])
			return
		}
	}
	a.stdinCode()
}

func (a *argv) stdinCode() {
	if a.in.known {
		a.code(a.name, word{text: a.in.text, from: a.in.bits})
		return
	}
	a.w.scriptFrom(a.p, a.in.bits, a.name)
}

// module runs a module, by its row "python -m NAME".
func (a *argv) module(rest []word) {
	name := first(rest, "")
	r := a.w.row("python -m " + name.text)
	if r == nil {
		a.p.raise(destructive, a.name+" -m", "the module "+show(name.text)+" is not in the table")
		return
	}
	b := argv{w: a.w, p: a.p, sc: a.sc, in: a.in, row: r, name: "python -m " + name.text, base: r.level, words: rest[1:]}
	b.do()
	a.row, a.name, a.base, a.out = b.row, b.name, b.base, a.out|b.out
}

// pythonFile runs a file; a few of a project's own are known by their names.
func (a *argv) pythonFile(file word, args []word) {
	a.w.read(a.p, file, a.sc)
	verb := first(args, "").text
	switch {
	case file.text == "manage.py" && (verb == "test" || verb == "check" || verb == "makemigrations" || verb == "showmigrations" || verb == "collectstatic"):
		a.base = buildTest
	case file.text == "setup.py" && (verb == "build" || verb == "test" || verb == "sdist" || verb == "bdist_wheel" || verb == "check" || verb == "build_ext"):
		a.base = buildTest
	default:
		a.scriptFile(file)
	}
}

// ip reads the words of ip(8): objects and verbs may be cut short.
func (a *argv) ip() {
	a.base = readOnly
	var operands []string
	for i := 0; i < len(a.words); i++ {
		t := a.words[i].text
		if !strings.HasPrefix(t, "-") || len(operands) > 0 {
			operands = append(operands, t)
			if len(operands) == 2 && operands[0] == "netns" && strings.HasPrefix("exec", t) && t != "" {
				a.base = privileged
				if i+2 < len(a.words) {
					a.w.run(a.words[i+2:], a.in, a.sc, &a.p.Parts)
				}
				return
			}
			continue
		}
		if t == "-b" || strings.HasPrefix(t, "-ba") || strings.HasPrefix(t, "-force") {
			a.base = privileged
			return
		}
		if t == "-n" || t == "-netns" || t == "-f" || t == "-family" {
			i++
		}
	}
	if len(operands) < 2 {
		return
	}
	verb := operands[1]
	for _, show := range []string{"show", "list", "lst", "get", "help", "monitor"} {
		if verb != "" && strings.HasPrefix(show, verb) {
			return
		}
	}
	a.base = privileged
}

// tar takes its first word apart if it is letters without a dash: their values
// follow in order.
func (a *argv) tar() {
	if len(a.words) > 0 && !strings.HasPrefix(a.words[0].text, "-") {
		var words []word
		values := a.words[1:]
		for _, c := range a.words[0].text {
			words = append(words, lit("-"+string(c)))
			if f, _ := a.lookup("-" + string(c)); f != nil && f.value != isNothing && f.value != isGlued && len(values) > 0 {
				words, values = append(words, values[0]), values[1:]
			}
		}
		a.words = append(words, values...)
	}
	a.parse()
	for _, u := range a.used {
		if u.level > readOnly {
			a.p.raise(u.level, "tar "+u.name, "tar "+u.name+" "+does(u.level))
		}
		if u.name != "--checkpoint-action" {
			a.effect(u.value, u.val, u.name)
		} else if action, cmd, _ := strings.Cut(u.val.text, "="); action == "exec" || !u.val.known() {
			a.script("tar --checkpoint-action", lit(cmd), stream{})
		}
	}
	archive, named := a.value("-f", "--file")
	stdout := !named || archive.text == "-"
	extract := a.flagged("-x", "--extract", "--get")
	if host, _, colon := strings.Cut(archive.text, ":"); colon && !strings.Contains(host, "/") && !a.flagged("--force-local") {
		a.p.raise(network, "tar -f", "tar talks to "+show(host))
	}
	switch {
	case a.flagged("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate", "--delete"):
		for _, o := range a.operands {
			a.effect(isRead, o, "")
			if at := a.w.at(o.text, a.sc); at.abs == "~" || at.abs == "/" || at.abs == "/home" {
				a.p.raise(destructive, "path:secret", "tar takes all of "+show(o.text)+", secrets too")
			}
		}
		if !stdout {
			a.writes("tar -f", archive)
		}
	case extract:
		if !a.flagged("-O", "--to-stdout") {
			a.base = write
			if dir, ok := a.value("-C", "--directory"); ok {
				a.effect(isTree, dir, "-C")
			}
		}
		a.effect(isRead, archive, "-f")
	default:
		a.effect(isRead, archive, "-f")
	}
	a.base = max(a.base, readOnly)
}

// dd copies by operands of its own form.
func (a *argv) dd() {
	for _, o := range a.operands {
		key, _, _ := strings.Cut(o.text, "=")
		val := o.cut(min(len(key)+1, len(o.text)))
		switch key {
		case "of":
			if val.text != "/dev/null" {
				a.p.raise(destructive, "dd of", "dd overwrites "+show(val.text))
			}
			a.writes("dd of", val)
		case "if":
			a.effect(isRead, val, "if")
		}
	}
}

// chmod looks at the mode.
func (a *argv) chmod() {
	mode := first(a.operands, "").text
	digits := strings.Trim(mode, "01234567") == "" && mode != ""
	tree := a.flagged("-R", "--recursive")
	switch {
	case digits && strings.Trim(mode, "0") == "", digits && len(mode) == 4 && mode[0] != '0', !digits && strings.ContainsAny(mode, "st") && strings.ContainsAny(mode, "+="),
		tree && strings.HasSuffix(mode, "777"), tree && strings.ContainsAny(mode, "=-") && strings.HasPrefix(mode, "a"):
		a.p.raise(destructive, "chmod MODE", "the mode "+mode+" gives or takes rights widely")
	}
	for _, o := range a.operands[min(1, len(a.operands)):] {
		if at := a.w.at(o.text, a.sc); tree && (at.abs == "/" || at.abs == "~") {
			a.p.raise(destructive, "chmod -R", "chmod -R on "+show(o.text))
		}
	}
}

// exiftool writes tags, of which one is the file's name.
func (a *argv) exiftool() {
	for _, wd := range a.words {
		if strings.HasPrefix(strings.ToLower(wd.text), "-tagsfromfile") {
			a.p.raise(write, "exiftool -tagsFromFile", "exiftool writes tags")
		}
		tag, val, set := strings.Cut(wd.text, "=")
		if !set || !strings.HasPrefix(tag, "-") {
			tag, val, set = strings.Cut(wd.text, "<")
		}
		if !set || !strings.HasPrefix(tag, "-") {
			continue
		}
		a.p.raise(write, "exiftool -TAG=", "exiftool writes tags")
		low := strings.ToLower(tag)
		if strings.Contains(low, "filename") || strings.Contains(low, "directory") {
			a.w.write(a.p, lit(val), a.sc)
		}
	}
}

// magick sees the file names by which ImageMagick runs programs and scripts.
func (a *argv) magick() {
	for _, o := range a.operands {
		kind, _, _ := strings.Cut(strings.ToLower(o.text), ":")
		if kind == "msl" || kind == "ephemeral" || kind == "mvg" || kind == "text" || kind == "label" && strings.Contains(o.text, "@") || strings.HasPrefix(o.text, "|") || kind == "url" || kind == "x" {
			a.p.raise(destructive, a.name+" "+kind, "the name "+show(o.text)+" runs a script or a program")
		}
		if kind == "http" || kind == "https" || kind == "ftp" {
			a.p.raise(network, a.name+" URL", a.name+" fetches "+show(o.text))
		}
	}
}

// sysctl sets what stands with a =.
func (a *argv) sysctl() {
	for _, o := range a.operands {
		if strings.Contains(o.text, "=") || !o.known() {
			a.p.raise(privileged, "sysctl KEY=VALUE", "sysctl sets "+show(o.text))
		}
		a.effect(isLoose, o, "")
	}
}

// strace writes its report to a file, or through a pipe to a command.
func (a *argv) strace() {
	out, ok := a.value("-o", "--output")
	if !ok {
		return
	}
	if strings.HasPrefix(out.text, "|") || strings.HasPrefix(out.text, "!") {
		a.script(a.name+" -o", out.cut(1), stream{})
		return
	}
	a.writes(a.name+" -o", out)
}

// gs is Ghostscript, whose files may be pipes.
func (a *argv) gs() {
	for _, wd := range a.words {
		if strings.Contains(wd.text, "%pipe%") || strings.Contains(wd.text, "|") {
			a.p.raise(destructive, "gs %pipe%", "gs runs "+show(wd.text))
		}
	}
}

// mode looks at the mode that new files get.
func (a *argv) mode() {
	if m, ok := a.value("-m", "--mode"); ok && (strings.ContainsAny(m.text, "st") || len(m.text) == 4 && m.text[0] != '0') {
		a.p.raise(destructive, a.name+" -m", a.name+" gives a program the rights of its owner")
	}
}

// mktemp says where the new file is, if nothing tells it otherwise.
func (a *argv) mktemp() {
	if len(a.operands) == 0 && !a.flagged("-p", "--tmpdir", "-t") {
		a.printed, a.known = "/tmp/"+hole, true
	}
}

// record is script(1): without a command it runs a shell.
func (a *argv) record() {
	if !a.flagged("-c", "--command") {
		a.p.raise(destructive, "script", "script runs a shell")
	}
}

// settings tells the settings of a package manager by which programs run from
// others.
func (a *argv) settings() {
	verb, key := first(a.operands, "list").text, ""
	if verb == "get" || verb == "list" || verb == "ls" {
		return
	}
	if len(a.operands) > 1 {
		key, _, _ = strings.Cut(a.operands[1].text, "=")
	}
	if a.name == "npm pkg" && verb == "set" && !strings.HasPrefix(key, "scripts") && !strings.HasPrefix(key, "config") {
		a.base = write
		return
	}
	switch strings.ToLower(key) {
	case "registry", "loglevel", "color", "progress", "fund", "audit", "save-exact", "save-prefix", "engine-strict", "package-lock", "fetch-retries", "fetch-timeout", "maxsockets", "nodelinker", "enabletelemetry", "enableglobalcache", "compressionlevel", "version-git-tag", "init-license", "init-author-name", "init-author-email", "init-version", "virtualenvs.in-project", "virtualenvs.create", "path", "jobs", "without", "deployment", "frozen":
		a.base = write
		return
	}
	a.p.raise(destructive, a.name, "the setting "+show(key)+" may run programs later")
}
