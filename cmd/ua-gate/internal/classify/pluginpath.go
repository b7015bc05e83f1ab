package classify

import (
	"path"
	"strings"
)

// plug is the rule for code that a program runs: what is in the workspace or named
// from it is the project's own, and anything else may be anybody's.
func (a *argv) plug(label string, val word) {
	val.text = strings.TrimPrefix(val.text, "file://")
	if inList(" /dev/null /dev/stdout /dev/stderr ", val.text) {
		return
	}
	if a.commandLine(label, val.text) {
		return
	}
	if val.text == "-" && (strings.Contains(label, " -") || a.in.open && a.in.bits&fromPipe == 0) {
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
	if strings.HasPrefix(val.text, "//") || inList(" msbuild xbuild ", a.row.name) &&
		(strings.Contains(val.text, ":") ||
			strings.Count(val.text, "/") == 1) {
		return // a label, //folder:target, or a switch, /m
	}
	if name, _, ok := strings.Cut(val.text, "=/"); ok && !strings.Contains(name, "/") {
		val = val.cut(len(name) + 1) // NAME=FOLDER
	}
	a.touch(val)
	if strings.HasPrefix(path.Clean(val.text), "../..") && a.w.foreignPlace(val.text, a.sc) {
		a.p.add(runsHidden, label, label+" runs code from "+show(val.text))
		return
	}
	// Named from the workspace, it is the project's.
	if !rooted(val.text) {
		return
	}
	if !a.w.inWorkspace(a.w.at(val.text, a.sc)) {
		a.p.add(runsHidden, label, label+" runs code from "+show(val.text))
	}
}

// rooted reports whether the text is a path from the root or from somebody's home: ~slow alone
// is a word of a program's own, since nobody keeps code right in the home of another user.
func rooted(text string) bool {
	return strings.HasPrefix(text, "/") || text == "~" ||
		strings.HasPrefix(text, "~") && strings.Contains(text, "/")
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
