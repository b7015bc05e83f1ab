package classify

import "strings"

// dockerBuild looks at the values of a build's flags: what they read, and where its
// result goes.
func (a *argv) dockerBuild() {
	for _, u := range a.used {
		fields := map[string]word{}
		for at := 0; at < len(u.val.text); {
			field, _, _ := strings.Cut(u.val.text[at:], ",")
			if key, _, ok := strings.Cut(field, "="); ok {
				val := u.val.cut(at + len(key) + 1)
				val.text = strings.TrimPrefix(field, key+"=")
				fields[key] = val
			}
			at += len(field) + 1
		}
		switch u.name {
		case "--secret", "--ssh":
			for _, key := range []string{"src", "source", "default"} {
				if val, ok := fields[key]; ok {
					a.reads(val)
				}
			}
		case "-o", "--output", "--cache-to":
			dest, ok := fields["dest"]
			if !ok && len(fields) == 0 {
				dest = u.val
			}
			if dest.text != "" {
				a.effect(isTree, dest, u.name)
			}
		}
		if inList(" -o --output --cache-to ", u.name) && (fields["type"].text == "registry" ||
			fields["push"].text == "true") {
			a.p.add(talks, a.name+" "+u.name, a.name+" "+u.name+" talks to other machines")
		}
	}
	for _, o := range a.operands {
		if o.text == "-" {
			a.p.add(runsHidden, a.name+" -", a.name+" builds what it reads")
		}
	}
}

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

// into is the rule for a copy between a container and this machine: what is put into a container
// runs there, or is its data.
func (a *argv) into() {
	if len(a.operands) < 2 {
		return
	}
	to := a.operands[len(a.operands)-1].text
	if i := strings.IndexByte(to, ':'); i > 0 && !strings.ContainsAny(to[:i], "/.~") {
		a.p.add(losesFiles, a.name, a.name+" writes in the container "+show(to[:i]))
	}
}
