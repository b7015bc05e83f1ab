package classify

import (
	"path"
	"strings"
)

// plug is the rule for code that a program runs: what is in the workspace or named
// from it is the project's own, and anything else may be anybody's.
func (a *argv) plug(label string, val word) {
	val.text = strings.TrimPrefix(val.text, "file://")
	if a.kinds(val)&pathStream != 0 {
		return
	}
	if val.text == "-" {
		a.p.add(runsHidden, label, label+" runs what it reads")
		return
	}
	if a.row.reader == "node" && strings.HasPrefix(val.text, ".") && !a.flagged("--test") &&
		(strings.HasSuffix(label, " -r") || strings.Contains(label, " --")) {
		a.p.add(runsHidden, label, label+" runs "+show(val.text))
		return
	}
	// What stands in the command itself nobody has reviewed.
	if strings.HasPrefix(val.text, "data:") || a.w.hasWritten(val, a.sc) {
		a.p.add(runsUnread, label, label+" runs what stands in this command")
		return
	}
	if strings.HasPrefix(val.text, "{") {
		for _, file := range inQuotes(val.text) {
			if strings.ContainsAny(file[:1], "/~") {
				a.plug(label, lit(file))
			}
		}
		return
	}
	if strings.HasPrefix(val.text, "//") {
		return // a label, //folder:target
	}
	if name, _, ok := strings.Cut(val.text, "=/"); ok && !strings.Contains(name, "/") {
		val = val.cut(len(name) + 1) // NAME=FOLDER
	}
	a.touch(val)
	if strings.HasPrefix(path.Clean(val.text), "../..") && a.w.foreign(val.text, a.sc) {
		a.p.add(runsHidden, label, label+" runs code from "+show(val.text))
		return
	}
	// Named from the workspace, it is the project's.
	if !rooted(val.text) {
		return
	}
	if a.kinds(val)&pathHere == 0 {
		a.p.add(runsHidden, label, label+" runs code from "+show(val.text))
	}
}

// inQuotes returns the texts in double quotes of settings that stand in the command itself.
func inQuotes(text string) (list []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 && part != "" {
			list = append(list, part)
		}
	}
	return list
}
