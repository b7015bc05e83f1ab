package classify

import "strings"

// dd copies by operands of its own form.
func (a *argv) dd() {
	for _, o := range a.operands {
		key, _, _ := strings.Cut(o.text, "=")
		switch val := o.cut(min(len(key)+1, len(o.text))); key {
		case "of":
			a.writes("dd of", val)
			a.w.overwrites(a.p, val, a.sc)
		case "if":
			a.effect(isRead, val, "if")
		}
	}
}
