package classify

import "strings"

// gcc hands flags on to the linker and reads more of them from files.
func (a *argv) gcc() {
	for _, wd := range a.words {
		if (strings.HasPrefix(wd.text, "-Wl,") || strings.HasPrefix(wd.text, "-Xlinker")) &&
			strings.Contains(wd.text, "plugin") {
			a.p.raise(destructive, a.name+" -plugin", a.name+" loads "+show(wd.text))
		}
		if (a.name == "nvcc" || a.name == "hipcc") && !mildFlags(wd.text) {
			a.p.raise(destructive, a.name+" -Xcompiler",
				a.name+" hands "+show(wd.text)+" on, which may load code")
		}
		if strings.HasPrefix(wd.text, "@") && a.w.foreignPlace(wd.text[1:], a.sc) {
			a.p.raise(destructive, a.name+" @FILE", a.name+" takes flags from "+show(wd.text))
		}
	}
}
