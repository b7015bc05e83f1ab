package classify

import (
	"path"
	"slices"
	"strings"
)

// inplace is yq and its like, whose first operand is an expression: with a flag
// they write the files that they read.
func (a *argv) inplace() {
	if !a.flagged("-i", "--in-place", "--inplace", "-L") {
		return
	}
	files := a.operands
	switch {
	case a.name == "xmlstarlet": // its operands are values of flags too
		files = files[max(0, len(files)-1):]
	case !a.flagged("-f", "--from-file"):
		if len(files) > 0 && strings.Contains(" e ea eval eval-all ", " "+files[0].text+" ") {
			files = files[1:]
		}
		files = files[min(1, len(files)):]
	}
	for _, o := range files {
		a.writes(a.name+" -i", o)
		a.w.overwrites(a.p, o, a.sc)
	}
}

// mv loses what it moves onto a device, and the device if it moves that.
func (a *argv) mv() {
	target, _ := a.value("-t", "--target-directory")
	for _, o := range a.operands[:max(0, len(a.operands)-1)] {
		if a.wipes(a.w.at(o.text, a.sc)) {
			a.p.raise(destructive, "mv", "mv takes away all of the workspace")
		}
		a.w.overwrites(a.p, word{text: strings.TrimSuffix(o.text, "/"), from: o.from}, a.sc)
	}
	to, from := target, a.operands
	if target.text == "" && len(from) > 0 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	for _, o := range from {
		a.movesAway(o, to, 1) // the row itself has noted it once
	}
	for _, o := range append(a.operands, target) {
		if at := a.w.at(o.text, a.sc); strings.HasPrefix(at.abs, "/dev/") &&
			!at.within("/dev/shm") {
			a.p.raise(destructive, "mv DEVICE", "mv loses what it moves to or from "+show(o.text))
		}
	}
}

// rename gives other names to the files behind its expression, which is Perl in one of the
// programs of that name.
func (a *argv) rename() {
	for i, o := range a.operands {
		perl, _, _ := strings.Cut(o.text, " ")
		if i == 0 && (strings.ContainsAny(o.text, "`({;") && !strings.HasPrefix(o.text, "s/") ||
			endsInE(o.text) || inList(perlRuns, perl)) {
			a.p.raise(destructive, a.name, a.name+" runs the Perl in "+show(o.text))
		}
		if i > 0 {
			a.w.write(a.p, o, a.sc)
			a.w.overwrites(a.p, o, a.sc)
		}
	}
}

// perlRuns are functions of Perl that as a whole expression do more than make a name.
const perlRuns = " unlink rmdir system exec eval do require open mkdir rename symlink link kill " +
	"fork " +
	"truncate chmod chown utime qx print BEGIN END "

// endsInE reports whether a substitution's flags hold e: its second half is code.
func endsInE(text string) bool {
	flags := text[strings.LastIndexAny(text, "/|,!#{}@")+1:]
	return strings.HasPrefix(text, "s") && len(flags) < len(text) && strings.Contains(flags, "e") &&
		strings.Trim(flags, "gimsxe") == ""
}

// dd copies by operands of its own form.
func (a *argv) dd() {
	for _, o := range a.operands {
		key, _, _ := strings.Cut(o.text, "=")
		val := o.cut(min(len(key)+1, len(o.text)))
		switch key {
		case "of":
			if val.text != "/dev/null" {
				a.overwritten(val)
			}
			a.writes("dd of", val)
		case "if":
			a.effect(isRead, val, "if")
		}
	}
}

// chmod looks at the mode.
func (a *argv) chmod() {
	a.rights()
	mode := first(a.operands, "").text
	digits := strings.Trim(mode, "01234567") == "" && mode != ""
	tree := a.flagged("-R", "--recursive")
	switch {
	case digits && strings.Trim(mode, "0") == "", digits && len(mode) == 4 &&
		mode[0] != '0', !digits && strings.ContainsAny(mode, "st") && strings.ContainsAny(mode, "+="),
		tree && strings.HasSuffix(mode, "777"), tree && strings.ContainsAny(mode, "=-") &&
			strings.HasPrefix(mode, "a"):
		a.p.raise(destructive, "chmod MODE", "the mode "+mode+" gives or takes rights widely")
	}
	for _, o := range a.operands[min(1, len(a.operands)):] {
		switch at := a.w.at(o.text, a.sc); {
		case at.abs == "/" || at.abs == "~":
			a.p.raise(destructive, "chmod -R", a.name+" on "+show(o.text))
		case !strings.Contains(mode, "x") || strings.ContainsAny(mode, "wr-"):
			a.w.overwrites(a.p, o, a.sc)
		}
	}
}

// mode looks at the mode that new files get.
func (a *argv) mode() {
	if m, ok := a.value("-m", "--mode"); ok && (strings.ContainsAny(m.text, "st") ||
		len(m.text) == 4 && m.text[0] != '0') {
		a.p.raise(destructive, a.name+" -m", a.name+" gives a program the rights of its owner")
	}
}

// mktemp says where the new file is, if nothing tells it otherwise.
func (a *argv) mktemp() {
	if len(a.operands) == 0 && !a.flagged("-p", "--tmpdir", "-t") {
		a.printed, a.known = "/tmp/"+hole, true
		a.out |= fromTemp
	}
}

// overwritten is the rule for what dd writes: a file of the workspace that is named
// as an image or as test data is made anew.
func (a *argv) overwritten(val word) {
	image := strings.HasSuffix(val.text, ".img") || strings.HasSuffix(val.text, ".iso") ||
		strings.HasSuffix(val.text, ".bin") ||
		strings.HasSuffix(val.text, ".raw") || strings.HasSuffix(val.text, ".dat") ||
		strings.HasPrefix(path.Base(val.text), "test")
	counted := slices.ContainsFunc(a.operands,
		func(o word) bool { return strings.HasPrefix(o.text, "count=") })
	if at := a.w.at(val.text, a.sc); !image || !counted || !val.plain() || !a.w.inWorkspace(at) &&
		a.w.kinds(at)&pathScratch == 0 ||
		slices.ContainsFunc(a.operands, func(o word) bool {
			return strings.HasPrefix(o.text, "seek=") ||
				o.text == "conv=notrunc"
		}) {
		a.p.raise(destructive, "dd of", "dd overwrites "+show(val.text))
	}
}

// localSchemes begin the addresses of files and sockets of this machine.
const localSchemes = " file sqlite duckdb unix "

// links notes where a new symbolic link leads.
func (a *argv) links() {
	if len(a.operands) == 2 && a.flagged("-s", "--symbolic") {
		name, target := a.w.at(a.operands[1].text, a.sc), a.w.at(a.operands[0].text, a.sc)
		a.w.links = append(a.w.links, link{name.abs, target.abs})
	}
}
