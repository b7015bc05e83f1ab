package classify

import "strings"

// xdotool's words are a chain of commands and their operands: behind a search may stand
// what acts on the windows that it finds.
func (a *argv) xdotool() {
	for i, o := range a.operands {
		switch {
		case i == 0 && a.name == "xdotool search" && !o.multi:
			// the pattern
		case !o.known():
			a.p.raise(destructive, "xdotool", "what follows is not known, and may type and click")
		case inList(" key keydown keyup type mousemove mousemove_relative click mousedown mouseup exec "+
			"behave behave_screen_edge set_window set_desktop set_num_desktops set_desktop_viewport "+
			"set_desktop_for_window ", o.text) || strings.HasPrefix(o.text, "window"):
			a.p.raise(destructive, "xdotool "+o.text, "it acts on the windows that are found")
		}
	}
}
