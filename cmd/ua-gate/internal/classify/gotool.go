package classify

import "strings"

// outerLinker finds flags for the linker behind Go's that only say how it links.
var outerLinker = regex{text: `-extldflags[= ](?:'|"|\\")?(?:-static(?:-pie)?|-s|-w|\s)+` +
	`(?:'|"|\\"|$)`}

// gotool looks at what the go command is given to build.
func (a *argv) gotool() {
	for _, u := range a.used {
		text := outerLinker.replace(u.val.text, "")
		if strings.HasSuffix(u.name, "flags") && (strings.Contains(text, "extld") ||
			strings.Contains(text, "plugin") || strings.Contains(text, "-B/") ||
			strings.Contains(text, "linktmp")) {
			a.p.add(runsHidden, a.name+" "+u.name, u.name+" may name a program that runs")
		}
	}
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, "/") || strings.HasPrefix(o.text, "~") {
			a.plug(a.name, o)
		}
	}
	if a.name == "go run" && first(a.operands, "").text == "-" {
		a.p.add(runsHidden, "go run -", "go runs what it reads")
	}
	if a.name == "go run" && len(a.operands) > 0 && strings.Contains(a.operands[0].text, "@") {
		a.p.add(talks, "go run MODULE@VERSION", "go run fetches a program and runs it")
	}
}
