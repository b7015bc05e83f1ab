package classify

import (
	"slices"
	"strings"
)

// guess is the rule for an unknown flag: one that says by its name that it runs or loads
// something does what nobody has read, one that says that it loses something does that, and a
// value that reads like a command line is judged as one.
func (a *argv) guess(wd word, next []word) {
	name, text, glued := strings.Cut(wd.text, "=")
	if !glued {
		text = first(next, "").text
	}
	words := keyWords(name)
	if len(words) == 0 || inList(" false never no none 0 ", text) ||
		inList(" no skip dont without ignore disable on ", words[0]) {
		return
	}
	switch {
	case inList(" delete destroy purge wipe erase unlink rm trash shred prune ", words[0]) &&
		name != "--rm", len(words) > 1 && inList(" delete purge wipe erase destroy unlink ",
		words[len(words)-1]) && !inList(" show list print include only exclude ", words[0]):
		a.p.add(losesFiles, a.name+" "+name, "the flag "+name+" says that it loses something")
	case len(name) > 4 && text != "" &&
		(inList(runNames, words[0]) || inList(runNames, words[len(words)-1])) &&
		a.row.level != buildTest || strings.HasPrefix(name, "--hooks."):
		a.p.add(runsUnread, a.name+" "+name, "the flag "+name+" of "+a.name+" may run code")
	case len(words) == 1 && inList(" publish upload deploy submit share ", words[0]):
		a.p.add(talks, a.name+" "+name, "the flag "+name+" says that it leaves this machine")
	case a.row.level <= write &&
		(inAny(" inplace fix overwrite rewrite autofix autocorrect ", words) ||
			strings.HasSuffix(name, "in-place")):
		a.rewrites = true
		a.p.add(writesHere, a.name+" "+name, "the flag "+name+" says that it writes what it reads")
	}
	program, rest, _ := strings.Cut(text, " ")
	if rest == "" || !inList(losingPrograms, program) || len(name) == 3 ||
		inAny(proseNames, words) {
		return
	}
	if owner, _, _ := strings.Cut(a.name, " "); len(name) == 2 &&
		(strings.IndexByte("ceExX", name[1]) < 0 ||
			inList(seeking, owner) || a.row.facts&factText != 0) {
		return
	}
	a.script(a.name+" "+name, lit(text), stream{})
}

const (
	runNames = " exec eval pager editor rsh preload interpreter launcher browser command program " +
		"cmd " +
		"hook wrapper helper shell plugin plugins load module modules extension extensions addon " +
		"init rc startup filter preprocessor trigger script code expr converter viewer notifier " +
		"handler runner tool binary "
	losingPrograms = " rm mv cp dd sh bash zsh chmod chown curl wget nc ncat sudo shred ssh scp " +
		"python " +
		"python3 perl node ruby rmdir unlink xargs "
	proseNames = " message msg title subject description desc summary comment note notes text body " +
		"label name caption reason query search prompt tag log help usage pattern regex match grep " +
		"exclude include "
)

// defines is the rule for NAME=VALUE that a build tool gets: some names say that
// the value is a program, which then runs.
func (a *argv) defines(label string, val word) {
	key, text, set := strings.Cut(val.text, "=")
	key, _, _ = strings.Cut(key, ":") // a type: CMAKE_C_COMPILER:FILEPATH
	switch {
	case !set:
	case substitutes(text) || strings.Contains(text, "$("):
		a.p.add(runsHidden, label, label+" "+show(key)+" runs "+show(text))
	case losesByWords(text):
		a.script(label, lit(text), stream{})
	case namesProgram(key) && !toolValue(text):
		a.p.add(runsUnread, label, label+" "+show(key)+" names a program: "+show(text))
	}
}

// lineOperand is the rule for an operand that is a command line of a program that loses or runs
// something: one that no row reads as prose may be run. An address among the operands of a
// program that reads none here may be asked for.
func (a *argv) lineOperand(what effect, o word) {
	if what == isText || what == isList || a.row.facts&(factText|factCode|factScript) != 0 ||
		a.row.level > write || a.row.reader != "" &&
		(a.row.level == readOnly || readerOfCode(a.row.reader) != nil ||
			knowsCode(a.row.reader)) || a.row.name == "true" {
		return
	}
	if a.row.facts&factLoose != 0 {
		if a.row.level <= buildTest && (strings.HasPrefix(o.text, "https://") ||
			strings.HasPrefix(o.text, "http://")) {
			a.leaves("--url", o)
		}
		return
	}
	// A sentence may begin with such a word: flags or a path behind it tell them apart.
	program, rest, _ := strings.Cut(o.text, " ")
	if owner, _, _ := strings.Cut(a.name, " "); rest != "" &&
		(rest[0] == '-' || strings.ContainsAny(rest, "/.")) &&
		inList(losingPrograms, program) && !inList(seeking, owner) && !a.behindProse(o) {
		a.script(a.name, o, stream{})
	}
}

// behindProse reports whether the word follows a flag whose name says that its value is prose.
func (a *argv) behindProse(o word) bool {
	i := slices.IndexFunc(a.words, func(wd word) bool { return wd.text == o.text })
	return i > 0 && strings.HasPrefix(a.words[i-1].text, "-") && (len(a.words[i-1].text) == 2 ||
		inAny(proseNames, keyWords(a.words[i-1].text)))
}
