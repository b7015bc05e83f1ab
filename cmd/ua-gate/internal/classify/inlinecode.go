package classify

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
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
	switch a.row.name {
	case "rake":
		for _, u := range a.used {
			if inList(" -e --execute -E --execute-continue -p --execute-print ", u.name) {
				a.w.run([]word{lit("ruby"), lit("-e"), u.val}, stream{}, a.sc.sub(), &a.p.Parts)
			}
		}
		return
	case "rails runner", "rails r":
		if inList(" - /dev/stdin ", first(a.operands, "").text) {
			a.stdinCode()
		}
		return
	}
	if a.row.level != buildTest && a.row.reader != "java" || a.interprets() {
		return
	}
	words := a.words[:len(a.words)-len(a.rest)]
	if last := a.name[strings.LastIndexByte(a.name, ' ')+1:]; last != a.name {
		words = append([]word{lit(last)}, words...) // stack ghc -- -e CODE
	}
	for _, wd := range words {
		if name, flags, ok := strings.Cut(wd.text, "="); ok && strings.Contains(flags, "-e") &&
			inList(" --ghci-options --ghc-options --repl-options ", name) {
			a.w.text("ghc "+flags, stream{}, a.sc.sub(), &a.p.Parts)
		}
	}
	for i, wd := range words {
		program := a.interpreter(wd)
		if program == "" {
			continue
		}
		given, has := []word{lit(program)}, false
		if strings.HasSuffix(wd.text, "-eval") {
			given, has = append(given, lit("-e")), true
		}
		for _, next := range words[i+1:] {
			if next.text == "--" && !has {
				continue
			}
			has = has || inList(codeFlags, next.text) || strings.HasPrefix(next.text, "--eval=")
			given = append(given, next)
		}
		reads := mainClasses[wd.text] != "" && a.in.open && !slices.ContainsFunc(given[1:],
			func(next word) bool { return !strings.HasPrefix(next.text, "-") })
		if has || reads {
			a.out |= a.w.run(given, a.in, a.sc.sub(), &a.p.Parts).bits
			return
		}
	}
}

// interprets reports whether the program is an interpreter itself.
func (a *argv) interprets() bool {
	program, _, _ := strings.Cut(a.name, " ")
	return a.row.facts&(factCode|factScript) != 0 || a.row.reader == "python" ||
		a.row.reader == "shell" || a.name == program && a.row.reader != "java" &&
		code.Knows(a.row.reader)
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
	if a.name == "hatch run" {
		name = name[strings.IndexByte(name, ':')+1:]
	}
	if !wd.plain() || name == "" || strings.ContainsAny(name, "/=. ") {
		return ""
	}
	r, _ := a.w.program(name)
	if r != nil && (r.reader == "python" || r.reader == "shell" || code.Knows(r.reader)) &&
		path.Base(name) == name {
		return name
	}
	return ""
}
