package classify

import (
	"slices"
	"strings"
)

// rclone compares and lists folders of this machine as it does those of others, whose names end
// in a colon.
func (a *argv) rclone() {
	if inList(" check ls lsl lsd lsf lsjson size tree md5sum sha1sum hashsum cat ",
		first(a.operands, "").text) && len(a.operands) > 1 && len(a.used) == 0 &&
		!slices.ContainsFunc(a.operands, func(o word) bool {
			return !o.plain() || strings.Contains(o.text, ":")
		}) {
		a.base, a.fixed = readOnly, true
	}
}

// atlas compares schemas that are files or local databases on this machine alone.
func (a *argv) atlas() {
	local := 0
	for _, wd := range a.words {
		scheme, _, ok := strings.Cut(wd.text, "://")
		scheme = scheme[strings.LastIndexByte(scheme, '=')+1:]
		switch {
		case ok && inList(localSchemes, scheme):
			local++
		case ok, !wd.plain(), strings.HasPrefix(wd.text, "--env"), strings.HasPrefix(wd.text, "-c"),
			strings.HasPrefix(wd.text, "--config"), strings.HasPrefix(wd.text, "--var"):
			return
		}
	}
	switch {
	case local == 0:
	case a.name == "atlas schema diff" || a.name == "atlas schema inspect":
		a.base = buildTest
	case a.name == "atlas schema apply":
		a.base = write
	}
}

// noIndex lowers pip where it is told to take nothing but what lies here.
func (a *argv) noIndex() {
	last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
	if !inList(" install download wheel ", last) ||
		slices.ContainsFunc(a.words, func(wd word) bool {
			_, val, _ := strings.Cut(wd.text, "=")
			return !wd.plain() || strings.Contains(wd.text, "://") || a.namesElsewhere(wd.text) ||
				a.namesElsewhere(val)
		}) {
		return
	}
	a.base = write
	if slices.ContainsFunc(a.words, func(wd word) bool { return wd.text == "--dry-run" }) {
		a.base = buildTest
	}
}
