package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

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

// julia takes the project in --project=DIR, whose code it loads.
func (a *argv) julia() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "--project=") && !strings.HasPrefix(wd.text, "--project=@") {
			a.plug("julia --project", wd.cut(len("--project=")))
		}
	}
}

// scripts is a package manager that runs the tools and scripts of the project: a name
// that the table does not know is one of those.
func (a *argv) scripts() {
	name := first(a.rest, "")
	if name.text == "" || !name.plain() || strings.ContainsAny(name.text, "/.") ||
		a.sc.funcs[name.text] != nil || a.w.versioned(name.text) != nil ||
		a.w.row(name.text) != nil {
		return
	}
	a.operands, a.rest = a.rest, nil
	for _, o := range a.operands {
		a.touch(o)
	}
	a.task(name.text)
}

// stdinNames is a program that reads the names of its files from its input.
func (a *argv) stdinNames() {
	if a.in.bits&fromNames != 0 {
		a.p.raise(destructive, "path:secret",
			a.name+" reads secrets by the names that another command gives")
	}
	for line := range strings.Lines(a.in.text) {
		a.reads(lit(strings.TrimSpace(line)))
	}
}

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

// keyed is ar and jar, whose first word is letters: t and p only read.
func (a *argv) keyed() {
	key := first(a.words, "").text
	if strings.Contains(key, "=") || strings.HasPrefix(key, "--") {
		return
	}
	key = strings.TrimLeft(key, "-")
	if key != "" && strings.IndexByte("tp", key[0]) >= 0 && strings.Trim(key, "tpvOfTNaV") == "" {
		a.p.Level, a.p.Row = min(a.p.Level, a.base), a.name
		a.base = readOnly
	}
}

// prlimit without a limit only shows those that hold.
func (a *argv) prlimit() {
	for _, u := range a.used {
		if u.val.text != "" && !inList(" -p --pid -o --output ", u.name) &&
			a.flagged("-p", "--pid") {
			a.p.raise(privileged, "prlimit --pid", "prlimit changes what another program may use")
		}
	}
}

// packages is a tool whose first operand is a package that it fetches, or whose NAME=PLACE
// says where a template is.
func (a *argv) packages() {
	for _, o := range a.operands {
		if _, place, ok := strings.Cut(o.text, "LOCATION="); ok {
			a.plug(a.name, lit(place))
			a.address(isRead, a.name, lit(place))
		}
	}
	if a.name == "dub run" && len(a.operands) > 0 &&
		!strings.ContainsAny(a.operands[0].text, "./:") {
		a.p.raise(network, a.name, a.name+" fetches "+show(a.operands[0].text)+" and runs it")
	}
}

// readDc returns dc(1), a calculator: only ! and ? of its commands leave it. A ! before a
// comparison belongs to that.
func readDc(_ *argv, text string) (verdict.Level, string) {
	bare := strings.NewReplacer("!=", "", "!<", "", "!>", "").Replace(text)
	if strings.ContainsAny(bare, "!?") {
		return destructive, "dc runs a shell"
	}
	return readOnly, ""
}
