package classify

import "strings"

// sysctl sets what stands with a =.
func (a *argv) sysctl() {
	for _, o := range a.operands {
		if strings.Contains(o.text, "=") || !o.known() {
			a.p.add(rights, "sysctl KEY=VALUE", "sysctl sets "+show(o.text))
		}
		a.effect(isLoose, o, "")
	}
}
