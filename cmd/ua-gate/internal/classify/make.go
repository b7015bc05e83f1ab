package classify

import (
	"path"
	"strings"
)

// make looks at the variables and targets that it is given.
func (a *argv) make() {
	dry := a.fixed && a.base == readOnly // -n: what would be done is printed
	for _, o := range a.operands {
		name, val, set := strings.Cut(o.text, "=")
		if !set {
			continue
		}
		if strings.HasSuffix(name, "!") || strings.HasPrefix(val, "!=") { // X!=COMMAND
			a.script("make VAR!=", o.cut(strings.Index(o.text, "!=")+2), stream{})
		}
		name = strings.TrimRight(name, ":+?! ")
		if name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" {
			a.p.add(runsHidden, "make VAR=", "make runs "+show(val))
			continue
		}
		a.defines("make VAR=", lit(name+"="+val))
		if losesByWords(val) {
			a.p.add(runsHidden, "make VAR=", "make "+name+"= may run "+show(val))
		}
		s := setting{name, o.cut(len(o.text) - len(val))}
		if dir, ok := a.value("-C", "--directory"); ok && strings.HasPrefix(val, "../") {
			s.val.text = path.Join(dir.text, val) // as seen from there
		}
		if inList(" prefix destdir ", strings.ToLower(name)) && !dry {
			a.stray(s.val, true)
		}
		a.w.setting(a.p, s, nil)
	}
	file, named := a.value("-f", "--file", "--makefile")
	switch {
	case !named:
	case a.w.hasWritten(file, a.sc):
		a.p.add(runsUnread, "make -f", "make runs what this command has just written")
	case strings.HasPrefix(file.text, "/") || file.text == "-" || !file.plain() ||
		strings.HasPrefix(file.text, ".."):
		a.p.add(runsHidden, "make -f", "a makefile from elsewhere")
	}
	a.targets()
}

// startsCommand reports whether a value looks like a command that is no tool of a build: it
// begins with a shell or another program that runs or removes something.
func startsCommand(val string) bool {
	program, _, _ := strings.Cut(strings.TrimLeft(val, "@-+ "), " ")
	return inList(" sh bash dash zsh ksh fish env eval exec rm mv cp dd tee install sudo nohup "+
		"xargs find perl ruby curl wget "+
		"nc ssh scp kill chmod chown ln truncate shred tar rsync ", path.Base(program))
}

// losesByWords reports whether a text is a command line that begins with a shell or a program that
// loses something, and gives it more than flags: RM="rm -f" is how makefiles name a tool.
func losesByWords(text string) bool {
	if !startsCommand(text) || toolValue(text) {
		return false
	}
	for _, arg := range strings.Fields(text)[1:] {
		if !strings.HasPrefix(arg, "-") || arg == "-c" || arg == "-e" {
			return true
		}
	}
	return false
}
