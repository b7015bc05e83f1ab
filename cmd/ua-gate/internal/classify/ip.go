package classify

import "strings"

// shows is a program of objects and verbs, as ip(8), of which some verbs only show. A
// name of a device alone shows it.
func (a *argv) shows() {
	for _, wd := range a.words {
		if inList(" -b -B -batch --batch -force ", wd.text) {
			return // commands from a file
		}
	}
	shown := len(a.operands) == 1
	for _, o := range a.operands {
		switch {
		case inList(" show list ls get info link station version help dump stats monitor features "+
			"feature "+
			"phy reg ", o.text):
			shown = true
		case inList(" add del delete change replace set reset connect disconnect join leave load "+
			"attach "+
			"detach pin prog-load update flush ", o.text):
			return
		}
	}
	if shown && !a.fixed && a.strange < 2 && a.p.Level < a.base {
		a.base = readOnly
	}
}

// ip reads the words of ip(8): objects and verbs may be cut short.
func (a *argv) ip() {
	a.base = readOnly
	var operands []string
	for i := 0; i < len(a.words); i++ {
		t := a.words[i].text
		if !strings.HasPrefix(t, "-") || len(operands) > 0 {
			operands = append(operands, t)
			// ip netns exec NAME COMMAND runs the command.
			if len(operands) == 2 && operands[0] == "netns" && strings.HasPrefix("exec", t) &&
				t != "" {
				a.base = privileged
				if i+2 < len(a.words) {
					a.w.run(a.words[i+2:], a.in, a.sc, &a.p.Parts)
				}
				return
			}
			continue
		}
		// -batch reads commands from a file.
		if t == "-b" || strings.HasPrefix(t, "-ba") || strings.HasPrefix(t, "-force") {
			a.base = privileged
			return
		}
		if t == "-n" || t == "-netns" || t == "-f" || t == "-family" {
			i++
		}
	}
	if len(operands) < 2 {
		return
	}
	verb := operands[1]
	for _, show := range []string{"show", "list", "lst", "get", "help", "monitor"} {
		if verb != "" && strings.HasPrefix(show, verb) {
			return
		}
	}
	a.base = privileged
}

// localHost is getent, which asks nobody about this machine's own names.
func (a *argv) localHost() {
	if len(a.operands) == 0 || a.name != "host" && !strings.HasSuffix(a.name, "hosts") {
		return
	}
	for _, o := range a.operands {
		if o.text != "localhost" && !strings.HasPrefix(o.text, "127.") && o.text != "::1" {
			return
		}
	}
	a.base = readOnly
}
