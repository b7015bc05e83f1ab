package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// many reports whether a word stands for many files that are there: a pattern, a list from a
// command, or one name after another.
func many(o word) bool {
	return (o.from&fromEach != 0 || o.from&fromListed != 0 && (o.glob || o.multi)) &&
		!spent(o.text) && !strings.HasPrefix(o.text, "/dev/")
}

// losesEach reports whether a statement that writes one listed file after another anew writes
// nothing that was made of such files. What its own program reads from them is lost before.
func (w *walker) losesEach(s *syntax.Stmt, io *stdio, out stream, sc *scope) bool {
	_, simple := s.Cmd.(*syntax.CallExpr)
	switch {
	case s.Cmd == nil:
		return true
	case io.record && !(simple && io.empty):
		return false // it makes the files that it has a record of
	case !simple || sc.funcs[io.name] != nil || io.name == "":
		return out.bits&(fromFiles|fromNamed) == 0
	case io.in.bits&fromFiles != 0 || io.words&fromFiles != 0:
		return false
	}
	return io.words&fromNamed == 0 || inList(tellsNames, io.name)
}

// saysNothing reports whether a command writes nothing, or no more than the end of a line.
func saysNothing(words []word) bool {
	switch words[0].text {
	case ":", "true", "false", "echo", "printf", "print", "cat":
	default:
		return false
	}
	return words[0].text[0] == ':' || !slices.ContainsFunc(words[1:], func(wd word) bool {
		return !inList(" -n -e -ne /dev/null \\n %s ", wd.text) && strings.TrimSpace(wd.text) != ""
	}) && (words[0].text != "cat" || len(words) > 1)
}

// losesMany is the rule for a program that empties or overwrites many files with what was not
// made of them.
func (a *argv) losesMany() {
	lost := false
	switch a.name {
	case "truncate", "gtruncate":
		size, _ := a.value("-s", "--size")
		lost = size.text == "" || strings.IndexByte("+>%", size.text[0]) < 0
	case "tee":
		lost = !a.flagged("-a", "--append")
	case "sponge":
		lost = a.in.bits&fromFiles == 0
	case "cp", "gcp", "install", "ginstall", "ln", "gln", "mv", "gmv",
		"rsync":
		a.copiesOver()
		return
	case "sed", "gsed":
		lost = a.flagged("-i", "--in-place") && a.sedEmpties()
	case "awk", "gawk", "mawk":
		if a.in.bits&fromListed != 0 && intoField.match(join(a.words)) {
			a.losesFiles(lit("$0"))
		}
		a.awkWipes()
		return
	case "perl", "ruby":
		lost = a.flagged("-i") && a.lineEmpties()
	case "ed", "ex", "vi", "vim", "nvim":
		lost = emptiesBuffer.match(a.in.text+"\n"+join(a.words)) && !strings.HasPrefix(a.in.text, hole)
	}
	if !lost {
		return
	}
	for i, o := range a.operands {
		if many(o) && a.row.slot(a.slots, i, len(a.operands)).what != isCode &&
			!((a.name == "tee" || a.name == "sponge") && o.from&fromRecord != 0 && a.in.bits != 0) &&
			!(a.name == "tee" && o.from&fromEach != 0 && a.in.bits&(fromFiles|fromNamed) != 0) {
			a.losesFiles(o)
			return
		}
	}
}

func (a *argv) losesFiles(o word) {
	a.p.raise(destructive, "path:many", a.name+" loses what is in many files, "+show(o.text))
	if a.whole(o) {
		a.p.holdWhole(a.name, "empties")
	}
}

// copiesOver is the rule for one file that is put in the place of each of many. A folder gets it
// beside what it has.
func (a *argv) copiesOver() {
	to, from := word{}, a.operands
	if len(from) > 1 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	if len(from) != 1 || to.from&fromEach == 0 || !many(to) ||
		a.flagged("-d", "-n", "--no-clobber", "--directory") ||
		strings.Contains(a.name, "ln") && !a.forces() {
		return
	}
	file := from[0]
	if !file.plain() || file.from&ofFiles != 0 {
		return
	}
	text, known := a.w.textOf(file, a.sc)
	written := a.w.hasWritten(file, a.sc)
	switch {
	case written && !known || known && strings.Contains(text, hole):
		return
	case strings.HasPrefix(a.name, "mv") && !known: // each round makes it anew
		return
	case to.from&fromFolders != 0 && file.text != "/dev/null":
		return
	}
	a.losesFiles(to)
}

// forces reports whether a flag has the program put its file in the place of another.
func (a *argv) forces() bool {
	for _, wd := range a.words {
		if wd.text == "--force" || strings.HasPrefix(wd.text, "-") && wd.text[1:] != "" &&
			wd.text[1] != '-' && strings.Contains(wd.text, "f") {
			return true
		}
	}
	return false
}

// sedEmpties reports whether a script leaves nothing or next to nothing of any file.
func (a *argv) sedEmpties() bool {
	scripts := a.scriptTexts()
	quiet := a.flagged("-n", "--quiet", "--silent")
	for _, wd := range a.words {
		quiet = quiet || strings.HasPrefix(wd.text, "-n") || strings.HasPrefix(wd.text, "-in")
	}
	prints := false
	for _, script := range scripts {
		text := strings.TrimSpace(script.text)
		if !script.plain() {
			prints = true
		}
		if sedDeletes.match(text) {
			return true
		}
		prints = prints || strings.ContainsAny(text, "pPwi")
	}
	return quiet && !prints
}

// scriptTexts returns the texts in an editor's own language: those of flags, or the first operand.
func (a *argv) scriptTexts() (list []word) {
	for _, u := range a.used {
		if u.value == isCode {
			list = append(list, u.val)
		}
	}
	if list == nil && !a.runs() && len(a.operands) > 0 && (a.name == "sed" || a.name == "gsed") {
		list = a.operands[:1]
	}
	return list
}

// lineEmpties reports whether Perl or Ruby with -n or -p leaves nothing of the lines of a file.
func (a *argv) lineEmpties() bool {
	prints, loops := false, false
	for _, wd := range a.words {
		if cluster := strings.TrimPrefix(wd.text, "-"); cluster != wd.text && len(cluster) < 6 {
			prints = prints || strings.Contains(cluster, "p")
			loops = loops || strings.ContainsAny(cluster, "np")
		}
	}
	code := ""
	for _, script := range a.scriptTexts() {
		if !script.plain() {
			return false
		}
		code += script.text + "\n"
	}
	if lineForgets.match(code) {
		return true
	}
	return loops && !prints && !printsLine.match(code)
}

var (
	// sedDeletes finds the commands of sed that leave nothing of any line, or few of the first.
	sedDeletes = regex{text: `^(?:[01]\s*,\s*\$\s*|[01]~1\s*|1!\s*|\$!\s*|` +
		`/(?:\^|\$|\.|\.\*|\^\.\*)/\s*)?\{?\s*[dDzQ]\s*\}?\s*(?:;|$)|^1?Q|^[1-3]?q\s*$|` +
		`^(?:1,\$\s*)?s[/|#,@!]\^?(?:\.\*|\(\.\*\)|\.\+)\$?[/|#,@!][^\\&/|#,@!]*[/|#,@!]g?\s*$|` +
		`^(?:1,\$\s*)?c\b`}
	// lineForgets finds what Perl and Ruby do to a line so that nothing of it is left.
	lineForgets = regex{text: `\$_\s*=\s*(?:""|''|q+\(\)|undef|nil|["'][^"'$#]*["'])\s*(?:;|\}|$)|` +
		`\bundef\s*\(?\s*\$_|\$_\.(?:clear|replace\(?\s*["'])|\btruncate\b|` +
		`\bs[/|]\^?\.[*+]\$?[/|][^$\\/|]*[/|][gs]*\s*(?:;|$)`}
	printsLine = regex{text: `\b(?:print\w*|say|puts|p|write|syswrite|putc|\$stdout|STDOUT)\b`}
	// intoField finds a redirection of awk's into the file that a line or a field names.
	intoField = regex{text: `>\s*\$\d\s*(?:[;})']|$)`}
	// emptiesBuffer finds the commands by which an editor deletes all lines.
	emptiesBuffer = regex{text: `(?:^|[\s'"|+:])(?:%|1\s*,\s*\$|0\s*,\s*\$|,)\s*d(?:elete)?\b`}
)
