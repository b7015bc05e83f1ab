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
	low := strings.ToLower(in.text)
	shows := !a.flagged("-pubout", "-pubin", "-text_pub", "-noout", "-out") || a.flagged("-text") &&
		!a.flagged("-pubin", "-text_pub", "-pubout")
	if named && shows && (strings.Contains(low, "key") || strings.Contains(low, "priv") ||
		a.kinds(in)&pathSecret != 0) && !strings.Contains(low, "pub") {
		a.p.raise(destructive, "path:secret", a.name+" prints the private key "+show(in.text))
		a.out |= fromSecret
	}
}
