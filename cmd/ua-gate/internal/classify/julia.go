package classify

import "strings"

// julia takes the project in --project=DIR, whose code it loads.
func (a *argv) julia() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "--project=") && !strings.HasPrefix(wd.text, "--project=@") {
			a.plug("julia --project", wd.cut(len("--project=")))
		}
	}
}
