package classify

import (
	"path"
	"strings"
)

// make looks at the variables and targets that it is given.
func (a *argv) make() {
	dry := a.fixed && a.base == buildTest // -n: what would be done is printed
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
}
