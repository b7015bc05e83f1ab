package classify

import "strings"

// rights is the rule for who may change what the system owns: root.
func (a *argv) rights() {
	for _, o := range a.operands[min(1, len(a.operands)):] {
		at := a.w.at(o.text, a.sc)
		if k := a.w.kinds(at); k&pathSystem != 0 && k&pathOpen == 0 && !a.w.inWorkspace(at) {
			a.p.add(rights, "path:system",
				a.name+" changes who may use the system's "+show(o.text))
		}
	}
}

// chmod looks at the mode.
func (a *argv) chmod() {
	a.rights()
	mode := first(a.operands, "").text
	digits := strings.Trim(mode, "01234567") == "" && mode != ""
	tree := a.flagged("-R", "--recursive")
	switch {
	case digits && strings.Trim(mode, "0") == "", digits && len(mode) == 4 &&
		mode[0] != '0', !digits && strings.ContainsAny(mode, "st") && strings.ContainsAny(mode, "+="),
		tree && strings.HasSuffix(mode, "777"), tree && strings.ContainsAny(mode, "=-") &&
			strings.HasPrefix(mode, "a"):
		a.p.add(losesFiles, "chmod MODE", "the mode "+mode+" gives or takes rights widely")
	}
	for _, o := range a.operands[min(1, len(a.operands)):] {
		switch at := a.w.at(o.text, a.sc); {
		case at.abs == "/" || at.abs == "~":
			a.p.add(losesFiles, "chmod -R", a.name+" on "+show(o.text))
		case !strings.Contains(mode, "x") || strings.ContainsAny(mode, "wr-"):
			a.w.overwrites(a.p, o, a.sc)
		}
	}
}

// mode looks at the mode that new files get.
func (a *argv) mode() {
	if m, ok := a.value("-m", "--mode"); ok && (strings.ContainsAny(m.text, "st") ||
		len(m.text) == 4 && m.text[0] != '0') {
		a.p.add(runsHidden, a.name+" -m", a.name+" gives a program the rights of its owner")
	}
}
