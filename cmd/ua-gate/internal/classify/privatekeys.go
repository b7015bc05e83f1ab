package classify

import "strings"

// keygen makes or changes the key that -f names, unless it only shows one.
func (a *argv) keygen() {
	if f, ok := a.value("-f"); ok && !(a.fixed && a.base == readOnly) {
		a.writes("ssh-keygen -f", f)
	}
}

// opensslKey prints the private key that it reads, unless it is told to show another
// half of it or to put it into a file.
func (a *argv) opensslKey() {
	in, named := a.value("-in")
	shows := !a.flagged("-pubout", "-pubin", "-text_pub", "-noout", "-out") || a.flagged("-text") &&
		!a.flagged("-pubin", "-text_pub", "-pubout")
	if shows && (named || a.in.open) && !strings.Contains(strings.ToLower(in.text), "pub") {
		a.p.raise(destructive, "path:secret", a.name+" prints the private key "+show(in.text))
		a.out |= fromSecret
	}
}

// augtool changes files of the system where it is told to save, also by its input.
func (a *argv) augtool() {
	lines := a.in.text
	for _, o := range a.operands {
		lines += "\n" + o.text
	}
	switch saves := strings.Contains("\n"+lines, "\nsave"); {
	case a.in.open && !a.in.known, saves:
		a.p.raise(destructive, a.name+" save", a.name+" writes the system's settings")
	case len(a.operands) > 0 && inList(" print get match ls dump-xml span help ", a.operands[0].text),
		a.in.known:
		a.base = min(a.base, readOnly)
	}
}
