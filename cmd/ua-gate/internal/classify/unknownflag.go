package classify

import (
	"slices"
	"strings"
)

// guess is the rule for an unknown flag that says by its name that it runs or
// writes something.
func (a *argv) guess(wd word, next []word) {
	name, _, glued := strings.Cut(wd.text, "=")
	bare := strings.TrimLeft(name, "-")
	// The name begins by saying that it runs something: --pager, --exec-path.
	for _, run := range []string{"exec", "eval", "pager", "editor", "rsh", "preload", "interpreter",
		"launcher", "browser"} {
		if len(bare) > 1 && strings.HasPrefix(bare, run) && bare != "browsers" {
			a.p.add(runsHidden, a.name+" "+name,
				"the flag "+name+" of "+a.name+" may run a program")
		}
	}
	if strings.HasPrefix(name, "--scripts.") || strings.HasPrefix(name, "--hooks.") ||
		strings.HasPrefix(name, "--hook-") &&
			!inList(" --hook-stage --hook-type --hook-id --hook-dir ", name) {
		a.p.add(runsHidden, a.name+" "+name, "the flag "+name+" of "+a.name+" may run a program")
	}
	// Or it ends by saying so: --ssh-command, --diff-program.
	for _, run := range []string{"-command", "-program", "-cmd", "-hook", "-wrapper", "-helper"} {
		if strings.HasPrefix(name, "--") && strings.HasSuffix(name, run) || name == run {
			a.p.add(runsHidden, a.name+" "+name,
				"the flag "+name+" of "+a.name+" may run a program")
		}
	}
	// What a callback is set to is a command line, and is read as one.
	if len(bare) > 4 && inList(callbackNames, strings.ReplaceAll(strings.ToLower(bare), "-", "")) {
		val := first(next, "")
		if glued {
			val = wd.cut(len(name) + 1)
		}
		a.script(a.name+" "+name, val, stream{})
	}
	a.guessProgram(wd, next)
	a.guessCommand(wd, next)
	// From here on: flags whose names say that they write.
	if bare != "o" && !strings.HasPrefix(bare, "out") && !strings.HasPrefix(bare, "log") &&
		!strings.HasPrefix(bare, "save") && !strings.HasPrefix(bare, "dump") &&
		!strings.HasPrefix(bare, "write") && !strings.HasPrefix(bare, "report-") {
		return
	}
	if glued {
		a.w.write(a.p, wd.cut(len(name)+1), a.sc)
	} else if len(next) > 0 && !next[0].glob && strings.ContainsAny(next[0].text[:min(1,
		len(next[0].text))], "/~.") {
		a.w.write(a.p, next[0], a.sc)
		a.unlisted = append(a.unlisted, named{name, next[0]})
	}
}

// guessProgram is the rule for an unknown flag whose name has a word by which programs name
// others that they start, where its value is a program's file or a command line.
func (a *argv) guessProgram(wd word, next []word) {
	name, _, glued := strings.Cut(wd.text, "=")
	words := keyWords(name)
	if len(name) < 5 || !inAny(startNames, words) && !inAny(codeNames, words) ||
		inList(quietWords, words[len(words)-1]) {
		return
	}
	val := first(next, "")
	if glued {
		val = wd.cut(len(name) + 1)
	}
	// A build that loads the project's code does what it is for.
	if a.row.level != buildTest && inAny(codeNames, words) && codeFile(val.text) {
		a.p.add(runsHidden, a.name+" "+name,
			"the flag "+name+" of "+a.name+" may load the code in "+show(val.text))
		return
	}
	// A program of the command's own is told by its place, a command line by its further
	// words.
	program, rest, _ := strings.Cut(val.text, " ")
	own := strings.HasPrefix(program, "./") || strings.HasPrefix(program, "../") ||
		strings.HasPrefix(program, "~/") ||
		strings.HasPrefix(program, "/tmp/") || strings.HasPrefix(program, "/dev/shm/")
	_, data := dataEnd(program)
	if own && !(data && rest == "") && a.row.level != buildTest || rest != "" &&
		inList(shellPrograms, program) ||
		own && rest != "" && inAny(startNames, words) {
		a.p.add(runsHidden, a.name+" "+name,
			"the flag "+name+" of "+a.name+" may run "+show(val.text))
	}
}

// dataEnd returns what a file's name ends in, and reports whether that is one of data.
func dataEnd(name string) (string, bool) {
	end := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return end, inList(dataEnds, end)
}

// codeFile reports whether a file's name ends as those of code do that programs load.
func codeFile(name string) bool {
	return inList(" so dylib dll py lua rb pl pm js mjs cjs jar sh bash vim el tcl scm fnl nse ",
		strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])) &&
		strings.Contains(name, ".")
}

const (
	codeNames = " plugin plugins load preload module modules extension extensions addon addons " +
		"config init rc startup profile "
	startNames = ` run runner filter filters pipe preprocessor preprocess postprocess ` +
		`postprocessor preprocessing compiler shell
 converter convert callback tool program binary command cmd prefix viewer player diff ext ` +
		`differ renderer formatter
 handler script scripts expr code engine driver starter spawn invoke bin trigger action ` +
		`process processor via through
 askpass decoder encoder decompressor compressor compress decompress notifier agent proxycommand `
	shellPrograms = " sh bash dash zsh ksh fish env python python3 perl ruby node php lua eval " +
		"exec nc ncat curl wget "
	dataEnds = ` txt md json yaml yml toml csv tsv xml html conf cfg ini log c h cc cpp hpp rs go ` +
		`java kt ts tsx css scss
 sql tf proto dat bin pdf png jpg svg lock env jsonl ndjson parquet adoc rst tex wav mp3 mp4 `
)

// guessCommand is the rule for an unknown flag whose value reads like a command line of a
// program that loses or runs something, where its name does not say that it is prose.
func (a *argv) guessCommand(wd word, next []word) {
	name, text, glued := strings.Cut(wd.text, "=")
	if !glued {
		text = first(next, "").text
	}
	program, rest, spaced := strings.Cut(text, " ")
	if !spaced || rest == "" || !inList(losingPrograms, program) || len(name) == 3 ||
		inAny(proseNames, keyWords(name)) {
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
	losingPrograms = " rm mv cp dd sh bash zsh chmod chown curl wget nc ncat sudo shred ssh scp " +
		"python " +
		"python3 perl node ruby rmdir unlink xargs "
	proseNames = " message msg title subject description desc summary comment note notes text body " +
		"label name caption reason query search prompt tag log help usage pattern regex match grep " +
		"exclude include "
)

// callbackNames are the names of flags, without what parts their words, by which a program runs
// a command when something has happened, or for each of its jobs: --onSuccess, --runner.
const callbackNames = " onsuccess onfailure onfail onpass onerror onchange onexit onstart " +
	"onfinish " +
	"oncomplete onend runonsuccess runonfailure beforerun afterrun runner testrunner "

// inPlaceNames are flags by which a program writes anew the files that it reads.
const inPlaceNames = " inplace in-place edit-in-place fix write overwrite rewrite modify " +
	"autofix " +
	"auto-fix autocorrect auto-correct reformat replace-input replace-original overwrite-original " +
	"overwrite-input save apply-fixes "

// flagSays is the rule for an unknown long flag that says by its name what it does.
func (a *argv) flagSays(name, val string) {
	words := keyWords(name)
	if len(words) == 0 || inList(" false never no none 0 ", val) ||
		words[len(words)-1] == "quiet" ||
		inAny(" output outputs cache caches tmp temp ", words[1:]) ||
		inList(" no skip dont without ignore disable on ", words[0]) {
		return
	}
	switch first := words[0]; {
	case a.row.level == readOnly && len(words) == 1 &&
		inList(" replace clean prune move rename ", first):
		a.p.add(writesHere, a.name+" "+name, "the flag "+name+" says that it changes files")
	case a.row.level <= write && (inList(inPlaceNames, strings.Join(words, "-")) ||
		inList(" inplace in-place ", val)):
		a.rewrites = true
		a.p.add(writesHere, a.name+" "+name, "the flag "+name+" says that it writes what it reads")
	case name == "--rm": // a container goes when it has ended
	// A verb in front, --delete-old, or behind, --volumes-delete.
	case inList(" delete destroy purge wipe erase kill shutdown unpublish unlink rm trash shred ",
		first),
		len(words) > 1 && !inList(" show list print include only with if before exclude ", first) &&
			inList(" delete purge wipe erase destroy unlink ", words[len(words)-1]),
		inList(" remove drop reset revoke rollback terminate ", first) && (len(words) == 1 ||
			inAny(" source sources original originals input inputs orig file files all everything data "+
				"volumes images orphans database databases db table tables schema collection keyspace "+
				"namespace cluster bucket ", words[1:])):
		a.p.add(losesFiles, a.name+" "+name, "the flag "+name+" says that it loses something")
	case inAny(" reveal unmask ", words), inAny(" show print with include export raw ", words) &&
		inAny(" secret secrets password passwords token tokens credentials ", words):
		a.p.add(readsSecrets, a.name+" "+name, "the flag "+name+" says that it shows a secret")
	case inList(" publish upload deploy submit share ", first), first == "push" && len(words) == 1,
		len(words) == 1 && a.row.level == readOnly &&
			inList(" update upgrade install download fetch ", first):
		a.p.add(talks, a.name+" "+name, "the flag "+name+" says that it leaves this machine")
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

// inputLines is the rule for a program that builds or writes and whose input, which stands in the
// command, has lines by which programs with a language of their own run others: shell rm x.
func (a *argv) inputLines() {
	if last := a.name[strings.LastIndexByte(a.name, ' ')+1:]; a.in.open && last != a.name &&
		a.row.level == buildTest && inList(" repl ghci toplevel console iex ", last) {
		a.p.add(runsHidden, a.name, a.name+" runs the code on its input")
	}
	if !a.in.known || a.row.level != buildTest && a.row.level != write ||
		a.row.facts&(factScript|factCode|factText) != 0 ||
		inList(" tee git ", a.row.name) || strings.HasPrefix(a.name, "git ") {
		return
	}
	// shell rm x, !rm x and :rm x are lines of such languages.
	for line := range strings.Lines(a.in.text) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		bare := strings.TrimLeft(verb, ".:!\\@")
		if inList(" shell system exec sh ", strings.ToLower(bare)) &&
			inList(commonPrograms, firstName(strings.TrimLeft(rest, ` "'`))) ||
			bare != verb && inList(commonPrograms, bare) && rest != "" {
			a.p.add(runsHidden, a.name,
				a.name+" may run the "+show(strings.TrimSpace(line))+" in its input")
			return
		}
	}
}
