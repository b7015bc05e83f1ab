package classify

import "strings"

// docker looks at what of this machine a container gets.
func (a *argv) docker() {
	for _, u := range a.used {
		switch u.name {
		case "--pid", "--ipc", "--uts", "--userns":
			if u.val.text == "host" {
				a.p.add(rights, a.name+" "+u.name, "a container is not kept from this machine's "+
					strings.TrimLeft(u.name, "-"))
			}
		case "-v", "--volume", "--mount":
			src, _, _ := strings.Cut(strings.TrimPrefix(u.val.text, "type=bind,"), ":")
			src = strings.TrimPrefix(strings.TrimPrefix(src, "src="), "source=")
			src, _, _ = strings.Cut(src, ",")
			at := a.w.at(src, a.sc)
			if at.abs == "/" || at.abs == "~" ||
				a.w.kinds(at)&(pathSystem|pathSecret|pathGuarded) != 0 &&
					a.w.kinds(at)&pathOpen == 0 {
				a.p.add(rights, "docker -v", "a container gets "+show(src))
			}
		}
	}
}
