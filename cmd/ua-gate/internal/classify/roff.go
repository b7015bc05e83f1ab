package classify

import "strings"

// roff is a formatter of manuals: its input names other files.
func (a *argv) roff() {
	if !a.in.known {
		return
	}
	for line := range strings.Lines(a.in.text) {
		fields := strings.Fields(line)
		if len(fields) > 1 && inList(" .so .mso .nx .psbb .cf .trf ", fields[0]) {
			a.reads(lit(fields[1]))
		}
	}
}
