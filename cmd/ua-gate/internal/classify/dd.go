package classify

import (
	"path"
	"slices"
	"strings"
)

// dd copies by operands of its own form.
func (a *argv) dd() {
	for _, o := range a.operands {
		key, _, _ := strings.Cut(o.text, "=")
		val := o.cut(min(len(key)+1, len(o.text)))
		switch key {
		case "of":
			if val.text != "/dev/null" {
				a.overwritten(val)
			}
			a.writes("dd of", val)
		case "if":
			a.effect(isRead, val, "if")
		}
	}
}

// overwritten is the rule for what dd writes: a file of the workspace that is named
// as an image or as test data is made anew.
func (a *argv) overwritten(val word) {
	image := strings.HasSuffix(val.text, ".img") || strings.HasSuffix(val.text, ".iso") ||
		strings.HasSuffix(val.text, ".bin") ||
		strings.HasSuffix(val.text, ".raw") || strings.HasSuffix(val.text, ".dat") ||
		strings.HasPrefix(path.Base(val.text), "test")
	counted := slices.ContainsFunc(a.operands,
		func(o word) bool { return strings.HasPrefix(o.text, "count=") })
	if at := a.w.at(val.text, a.sc); !image || !counted || !val.plain() || !a.w.inWorkspace(at) &&
		a.w.kinds(at)&pathScratch == 0 ||
		slices.ContainsFunc(a.operands, func(o word) bool {
			return strings.HasPrefix(o.text, "seek=") ||
				o.text == "conv=notrunc"
		}) {
		a.p.add(losesFiles, "dd of", "dd overwrites "+show(val.text))
	}
}
