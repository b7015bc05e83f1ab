package classify

import "strings"

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

// editsInPlace is the rule for a file that a program writes which it reads.
func (a *argv) editsInPlace(file word) {
	a.p.add(writesHere, a.name, a.name+" writes what it reads")
	a.w.write(a.p, file, a.sc)
	a.w.overwrites(a.p, file, a.sc)
	a.w.wroteFile(file.text, a.sc)
}
