package classify

import "strings"

// jq is jq and yq, whose programs read variables and, in yq, files.
func (a *argv) jq() {
	if a.row.name == "yq" {
		a.inplace()
	}
	for _, o := range a.operands[:min(2, len(a.operands))] {
		a.variablesIn(o.text)
		if jqEnvironment.match(o.text) {
			a.environment(jqField.replace(o.text, `.("$1")`))
		}
		for _, m := range jqPicked.all(o.text) {
			a.picksByName(strings.TrimSpace(m[1]))
		}
		if strings.Contains(o.text, "load") {
			for _, file := range inQuotes(o.text) {
				a.reads(lit(file))
			}
		}
	}
}

// picksByName is the rule for a variable of the environment whose name an expression of jq gives.
func (a *argv) picksByName(name string) {
	if jqConstant.match(name) {
		return // which the text shows
	}
	for i, wd := range a.words {
		if wd.text == "--arg" && i+2 < len(a.words) && name == "$"+a.words[i+1].text &&
			a.words[i+2].plain() && !holdsSecret(a.words[i+2].text) {
			return
		}
	}
	a.p.raise(destructive, "env:secret", a.name+" reads a variable whose name is not known")
}

var (
	// an element of the environment, and a name of one that stands in the program
	jqPicked = regex{text: `(?:\$ENV|(?:^|[^.\w"$])env)\s*(?:\|\s*)?\.?` +
		`\[((?:[^\[\]]|\[[^\[\]]*\])*)\]`}
	jqConstant = regex{text: `^(?:"[^"\\]*"|\d*)$`}

	// the whole environment in a program of jq, and not a field of that name
	jqEnvironment = regex{text: `\$ENV\b(?:[^.\w]|$)|(?:^|[^.\w"$])env\b(?:[^.\w(:"]|$)`}
	jqField       = regex{text: `\.([A-Za-z_]\w*)`}
)

// fx is a viewer of JSON whose last expression may write the file.
func (a *argv) fx() {
	for i, o := range a.operands {
		if what := runsByCall(o.text); what != "" {
			a.p.raise(destructive, a.name, a.name+" may run the "+show(what)+" in its words")
		}
		if i > 0 && o.text == "save" {
			a.writes(a.name, a.operands[0])
			a.w.overwrites(a.p, a.operands[0], a.sc)
		}
	}
}

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
