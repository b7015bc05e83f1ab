package classify

import "strings"

// capnp starts the program that -o names, its own of that language or one of the path given.
// Behind a colon stands the folder for what it makes.
func (a *argv) capnp() {
	if to, ok := a.value("-o", "--output"); ok {
		language, dir, _ := strings.Cut(to.text, ":")
		if strings.Contains(language, "/") {
			a.p.raise(destructive, a.name+" -o", a.name+" runs "+show(language))
		}
		a.effect(isWrite, to.with(dir), "-o")
	}
}
