package classify

import (
	"path"
	"slices"
	"strings"
)

// java runs a program of which nobody has read anything, unless the project has just
// built it. What stands behind it are the program's own words.
func (a *argv) java() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-javaagent") || strings.HasPrefix(wd.text, "-agent") {
			a.p.raise(destructive, "java -agent", "java loads the agent "+show(wd.text))
		}
	}
	for _, wd := range a.words {
		for _, loads := range []string{"-Xbootclasspath", "-XX:OnError", "-XX:OnOutOfMemoryError",
			"-XX:Flags=",
			"-XX:VMOptionsFile", "-XX:SharedArchiveFile=/", "@/", "@~", "--patch-module",
			"-Djava.system.class.loader"} {
			if strings.HasPrefix(wd.text, loads) {
				a.p.raise(destructive, "java "+loads, "java runs code by "+show(wd.text))
			}
		}
	}
	jar, ok := a.value("-jar")
	if !ok {
		at, _ := a.value("-cp", "-classpath", "--class-path")
		main := first(a.operands, "").text
		class := path.Join(at.text, main[strings.LastIndexByte(main, '.')+1:]+".class")
		if main != "" && !a.w.changed && slices.Contains(a.w.built, a.w.at(class, a.sc).abs) &&
			a.p.Level <= buildTest {
			a.base, a.fixed = buildTest, true // what this command has built
		} else if main != "" && a.ownClasses(at) {
			a.base, a.fixed = buildTest, true
		} else if strings.HasSuffix(main, ".java") && (a.calmFile(a.operands[0]) ||
			a.ownProgram(a.operands[0])) {
			a.base, a.fixed = buildTest, true
		}
		return
	}
	a.base, a.fixed = destructive, true
	if !a.w.changed && slices.Contains(a.w.built, a.w.at(jar.text, a.sc).abs) {
		a.base = buildTest
	}
	if strings.HasSuffix(jar.text, ".jar") && a.ownProgram(jar) {
		a.base = buildTest
	}
	for dir := path.Dir(jar.text); below(jar.text) && dir != "."; dir = path.Dir(dir) {
		if inList(" build target dist out libs bin lib vendor tools ", path.Base(dir)) {
			a.base = buildTest
		}
	}
}

// ownClasses reports whether a class path leads to nothing but folders and archives of the
// project, one of which is where builds put classes.
func (a *argv) ownClasses(at word) bool {
	if !at.plain() || a.w.changed || len(a.w.fetched)+len(a.w.links) > 0 || a.w.unpacked != "" ||
		slices.ContainsFunc(a.w.written, func(file string) bool {
			return !slices.Contains(a.w.built, file)
		}) {
		return false
	}
	made := false
	for dir := range strings.SplitSeq(at.text, ":") {
		if !below(dir) {
			return false
		}
		top, _, _ := strings.Cut(strings.TrimPrefix(dir, "./"), "/")
		made = made || inList(" build target out bin classes dist ", top) ||
			strings.HasSuffix(dir, ".jar") && !strings.Contains(dir, "..")
	}
	for _, o := range a.operands {
		if a.namesElsewhere(o.text) {
			return false
		}
	}
	return made
}

// jcmd tells a running Java program what to do: most of its commands only print.
func (a *argv) jcmd() {
	verb := ""
	if len(a.operands) > 1 {
		verb = a.operands[1].text
	}
	for i, o := range a.operands {
		if at := strings.Index(o.text, "filename="); at >= 0 {
			a.effect(isWrite, o.cut(at+len("filename=")), verb)
		} else if i > 1 && strings.HasPrefix(verb, "Thread.dump") {
			a.effect(isWrite, o, verb)
		}
	}
	switch group, _, _ := strings.Cut(verb, "."); {
	case verb == "JVMTI.agent_load", verb == "ManagementAgent.start", verb == "VM.set_flag",
		verb == "GC.heap_dump", verb == "JFR.start", verb == "VM.cds":
	case verb == "" || verb == "help" || inList(" VM Thread GC Compiler JFR PerfCounter System ",
		group):
		a.base = readOnly
	}
}
