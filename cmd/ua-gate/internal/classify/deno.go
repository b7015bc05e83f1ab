package classify

import "strings"

// denoRun runs a file of the project, or fetches one.
func (a *argv) denoRun() {
	file := first(a.operands, "").text
	if strings.HasPrefix(file, "npm:") || strings.HasPrefix(file, "jsr:") ||
		strings.Contains(file, "://") {
		a.p.raise(network, a.name, a.name+" fetches "+show(file)+" and runs it")
	}
}
