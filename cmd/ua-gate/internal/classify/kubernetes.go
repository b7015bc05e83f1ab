package classify

import "strings"

// kubectl with --dry-run=client asks no server.
func (a *argv) kubectl() {
	for _, u := range a.used {
		if u.name == "--from-file" { // [KEY=]FILE
			a.reads(u.val.cut(strings.IndexByte(u.val.text, '=') + 1))
		}
	}
	if v, ok := a.value("--dry-run"); ok && v.text == "client" {
		a.base = buildTest
	}
}

// localChart is a verb of helm that fetches a chart, unless it is a folder.
func (a *argv) localChart() {
	if o := first(a.operands, ""); strings.HasPrefix(o.text, ".") ||
		strings.HasPrefix(o.text, "/") {
		a.base = readOnly
	}
}
