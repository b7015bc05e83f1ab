package classify

import (
	"path"
	"slices"
	"strings"
)

// mainClasses are the classes and name spaces that are interpreters, with the programs that
// start them.
var mainClasses = map[string]string{
	"clojure.main": "clojure", "cljs.main": "clojure", "groovy.ui.GroovyMain": "groovy",
	"scala.tools.nsc.MainGenericRunner": "scala", "dotty.tools.MainGenericRunner": "scala",
	"org.jruby.Main": "ruby", "org.python.util.jython": "python3",
}

// codeFlags are the flags by which interpreters take code.
const codeFlags = " -e -E -c -r -p -ep -pe -ne -le -lne -pie -print --eval --execute --print " +
	"--run --command --code "

// inlineCode is the rule for code that a tool which builds or tests hands on to an interpreter:
// lein run -m clojure.main -e CODE, stack exec ghc -- -e CODE. It is judged as the interpreter's
// own.
func (a *argv) inlineCode() {
	if a.ownCode() || a.row.level != buildTest && a.row.reader != "java" || a.interprets() {
		return
	}
	words := a.words[:len(a.words)-len(a.rest)]
	if last := a.name[strings.LastIndexByte(a.name, ' ')+1:]; last != a.name {
		words = append([]word{lit(last)}, words...) // stack ghc -- -e CODE
	}
	for i, wd := range words {
		a.compilerCode(wd.text, first(words[i+1:], "").text)
		program := a.interpreter(wd)
		if program == "" {
			continue
		}
		if given := a.givesCode(wd, program, words[i+1:]); given != nil {
			a.out |= a.w.run(given, a.in, a.sc.sub(), &a.p.Parts).bits
			return
		}
	}
}

// compilerCode judges the code in options that a tool hands on to the compiler of Haskell, which
// stand in the word of the flag or in the next one.
func (a *argv) compilerCode(word, next string) {
	name, options, glued := strings.Cut(word, "=")
	if !glued {
		options = next
	}
	if inList(" --ghci-options --ghc-options --repl-options ", name) &&
		slices.Contains(strings.Fields(options), "-e") {
		a.w.text("ghc "+options, stream{}, a.sc.sub(), &a.p.Parts)
	}
}

// ownCode judges the code that a tool takes in its own language, and reports whether it is one of
// those that do.
func (a *argv) ownCode() bool {
	switch a.row.name {
	case "rake":
		for _, u := range a.used {
			if inList(" -e --execute -E --execute-continue -p --execute-print ", u.name) {
				a.w.run([]word{lit("ruby"), lit("-e"), u.val}, stream{}, a.sc.sub(), &a.p.Parts)
				if rakeRuns.match(u.val.text) {
					a.p.raise(destructive, a.name+" "+u.name, "rake runs "+show(u.val.text))
				}
			}
		}
		return true
	case "rails runner", "rails r":
		if inList(" - /dev/stdin ", first(a.operands, "").text) {
			a.stdinCode()
		}
		return true
	}
	return false
}

// givesCode returns the interpreter with the words behind the one that names it, if code is among
// them or comes on the input, or nil.
func (a *argv) givesCode(named word, program string, behind []word) []word {
	given, has, file := []word{lit(program)}, false, false
	if strings.HasSuffix(named.text, "-eval") {
		given, has = append(given, lit("-e")), true
	}
	for i, next := range behind {
		if next.text == "--" && !has {
			continue
		}
		has = has || inList(codeFlags, next.text) && i+1 < len(behind) ||
			strings.HasPrefix(next.text, "--eval=")
		file = file || !strings.HasPrefix(next.text, "-")
		given = append(given, next)
	}
	if has || !file && mainClasses[named.text] != "" && a.in.open {
		return given
	}
	return nil
}

// program returns the name of the program without its sub-commands.
func (a *argv) program() string {
	program, _, _ := strings.Cut(a.name, " ")
	return program
}

// interprets reports whether the program is an interpreter itself.
func (a *argv) interprets() bool {
	program := a.program()
	return a.row.facts&(factCode|factScript) != 0 || a.row.reader == "python" ||
		a.row.reader == "shell" || a.name == program && a.row.reader != "java" &&
		knowsCode(a.row.reader)
}

// interpreter returns the name of the interpreter that a word of another program starts, or
// nothing. A script of the project that has its name mostly starts it.
func (a *argv) interpreter(wd word) string {
	if class, ok := mainClasses[wd.text]; ok {
		return class
	}
	if inList(" clj-eval cljs-eval ", wd.text) {
		return "clojure"
	}
	name := wd.text
	if inList(" hatch bazel bazelisk buck buck2 pants please ", a.program()) {
		name = name[strings.LastIndexByte(name, ':')+1:] // an environment, or a folder with targets
	}
	if !wd.plain() || name == "" || strings.ContainsAny(name, "/=. ") {
		return ""
	}
	r, _ := a.w.program(name)
	if r != nil && (r.reader == "python" || r.reader == "shell" || knowsCode(r.reader)) &&
		path.Base(name) == name {
		return name
	}
	return ""
}

// rakeRuns finds the functions of Rake's own by which its code runs programs or loses files.
var rakeRuns = regex{text: `\b(?:sh|ruby|rm(?:_\w+|tree|dir)?|remove\w*|safe_unlink|mv|move)\b`}
