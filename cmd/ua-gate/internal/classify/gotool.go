package classify

import "strings"

// gotool looks at what the go command is given to build.
func (a *argv) gotool() {
	for _, u := range a.used {
		if strings.HasSuffix(u.name, "flags") && (strings.Contains(u.val.text, "extld") ||
			strings.Contains(u.val.text, "plugin") || strings.Contains(u.val.text, "-B/") ||
			strings.Contains(u.val.text, "linktmp")) {
			a.p.raise(destructive, a.name+" "+u.name, u.name+" may name a program that runs")
		}
	}
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, "/") || strings.HasPrefix(o.text, "~") {
			a.plug(a.name, o)
		}
	}
	if a.name == "go run" && first(a.operands, "").text == "-" &&
		(!a.in.known || !onlyComputes(a.in.text)) {
		a.p.raise(destructive, "go run -", "go runs what it reads")
	}
	if a.name == "go run" && len(a.operands) > 0 && strings.Contains(a.operands[0].text, "@") {
		a.p.raise(network, "go run MODULE@VERSION", "go run fetches a program and runs it")
	}
}
