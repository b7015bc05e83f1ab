package classify

import (
	"path"
	"strings"

	"ua/internal/common/verdict"
)

// readDc returns dc(1), a calculator: only ! and ? of its commands leave it. A ! before a
// comparison belongs to that.
func readDc(_ *argv, text string) (verdict.Level, string) {
	bare := strings.NewReplacer("!=", "", "!<", "", "!>", "").Replace(text)
	if strings.ContainsAny(bare, "!?") {
		return destructive, "dc runs a shell"
	}
	return readOnly, ""
}

// hash gives names other programs in zsh: hash NAME=PROGRAM.
func (a *argv) hash() {
	for _, o := range a.operands {
		if strings.Contains(o.text, "=") && !a.flagged("-d") {
			a.p.raise(destructive, "hash NAME=", "another program stands behind "+show(o.text)+" from then on")
		}
	}
}

// xdotool's words are a chain of commands and their operands: behind a search may stand
// what acts on the windows that it finds.
func (a *argv) xdotool() {
	for i, o := range a.operands {
		switch {
		case i == 0 && a.name == "xdotool search" && !o.multi:
			// the pattern
		case !o.known():
			a.p.raise(destructive, "xdotool", "what follows is not known, and may type and click")
		case inList(" key keydown keyup type mousemove mousemove_relative click mousedown mouseup exec "+
			"behave behave_screen_edge set_window set_desktop set_num_desktops set_desktop_viewport "+
			"set_desktop_for_window ", o.text) || strings.HasPrefix(o.text, "window"):
			a.p.raise(destructive, "xdotool "+o.text, "it acts on the windows that are found")
		}
	}
}

// sbt's words are commands, some of which are Scala that runs.
func (a *argv) sbt() {
	for _, o := range a.operands {
		verb := strings.TrimLeft(o.text, ";+ ")
		verb, _, _ = strings.Cut(verb, " ")
		if inList(" set eval console consoleQuick consoleProject alias apply < load ", verb) ||
			strings.HasPrefix(verb, "!") || strings.HasPrefix(verb, "<") ||
			strings.Contains(o.text, ";") && strings.ContainsAny(o.text, "!{") {
			a.p.raise(destructive, "sbt "+verb, "sbt runs the Scala in "+show(o.text))
		}
	}
	a.targets()
}

// dockerBuild looks at the values of a build's flags: what they read, and where its
// result goes.
func (a *argv) dockerBuild() {
	for _, u := range a.used {
		fields := map[string]word{}
		for at := 0; at < len(u.val.text); {
			field, _, _ := strings.Cut(u.val.text[at:], ",")
			if key, _, ok := strings.Cut(field, "="); ok {
				val := u.val.cut(at + len(key) + 1)
				val.text = strings.TrimPrefix(field, key+"=")
				fields[key] = val
			}
			at += len(field) + 1
		}
		switch u.name {
		case "--secret", "--ssh":
			for _, key := range []string{"src", "source", "default"} {
				if val, ok := fields[key]; ok {
					a.reads(val)
				}
			}
		case "-o", "--output", "--cache-to":
			dest, ok := fields["dest"]
			if !ok && len(fields) == 0 {
				dest = u.val
			}
			if dest.text != "" {
				a.effect(isTree, dest, u.name)
			}
		}
		if inList(" -o --output --cache-to ", u.name) && (fields["type"].text == "registry" ||
			fields["push"].text == "true") {
			a.p.raise(network, a.name+" "+u.name, a.name+" "+u.name+" talks to other machines")
		}
	}
	for _, o := range a.operands {
		if o.text == "-" {
			a.p.raise(destructive, a.name+" -", a.name+" builds what it reads")
		}
	}
}

// julia takes the project in --project=DIR, whose code it loads.
func (a *argv) julia() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "--project=") && !strings.HasPrefix(wd.text, "--project=@") {
			a.plug("julia --project", wd.cut(len("--project=")))
		}
	}
}

// java runs a program of which nobody has read anything, unless the project has just
// built it. What stands behind it are the program's own words.
func (a *argv) java() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-javaagent") || strings.HasPrefix(wd.text, "-agent") {
			a.p.raise(destructive, "java -agent", "java loads the agent "+show(wd.text))
		}
	}
	for _, wd := range a.words {
		for _, loads := range []string{"-Xbootclasspath", "-XX:OnError", "-XX:OnOutOfMemoryError", "-XX:Flags=",
			"-XX:VMOptionsFile", "-XX:SharedArchiveFile=/", "@/", "@~", "--patch-module", "-Djava.system.class.loader"} {
			if strings.HasPrefix(wd.text, loads) {
				a.p.raise(destructive, "java "+loads, "java runs code by "+show(wd.text))
			}
		}
	}
	jar, ok := a.value("-jar")
	if !ok {
		return
	}
	a.base, a.fixed = destructive, true
	for dir := path.Dir(jar.text); below(jar.text) && dir != "."; dir = path.Dir(dir) {
		if inList(" build target dist out libs bin ", path.Base(dir)) {
			a.base = buildTest
		}
	}
}

// gitRemote asks the other side with show, but not with -n.
func (a *argv) gitRemote() {
	a.gitWord()
	if a.name == "git remote show" && a.flagged("-n") {
		a.base = readOnly
	}
}

// printing is a converter that prints what it makes when its output is named "-".
func (a *argv) printing() {
	to, named := a.value("-o", "--output", "-out")
	if !named {
		to = word{}
		if n := len(a.operands); n > 0 {
			to = a.operands[n-1]
		}
	}
	_, _, colon := strings.Cut(to.text, ":-")
	switch {
	case to.text == "-", to.text == "/dev/stdout", strings.HasPrefix(to.text, "pipe:"), colon,
		to.text == "stdout" && a.name == "tesseract":
		a.base = readOnly
	case !named && inList(printers, a.name), !named && len(a.operands) == 1 && inList(printsOne, a.name):
		a.base = readOnly
	}
}

// printsOne are converters that print what they make of a single operand.
const printsOne = " xlsx2csv csv2md html2md docx2txt rst2md "

// printers are converters that print what they make unless -o names a file.
const printers = " pandoc dot neato fdp sfdp circo rsvg-convert markdown multimarkdown tidy recode uconv " +
	"xsltproc rst2html rst2man scdoc ronn pod2man pod2text pod2html md2man go-md2man uncrustify " +
	"textql q sqlformat sql-formatter xmlformat mmark help2man "

// scripts is a package manager that runs the tools and scripts of the project: a name
// that the table does not know is one of those.
func (a *argv) scripts() {
	name := first(a.rest, "")
	if name.text == "" || !name.plain() || strings.ContainsAny(name.text, "/.") ||
		a.sc.funcs[name.text] != nil || a.w.versioned(name.text) != nil || a.w.row(name.text) != nil {
		return
	}
	a.operands, a.rest = a.rest, nil
	for _, o := range a.operands {
		a.touch(o)
	}
	a.task(name.text)
}

// jq is jq and yq, whose programs read variables and, in yq, files.
func (a *argv) jq() {
	if a.row.name == "yq" {
		a.inplace()
	}
	for _, o := range a.operands[:min(2, len(a.operands))] {
		a.variablesIn(o.text)
		if strings.Contains(o.text, "load") {
			for _, file := range inQuotes(o.text) {
				a.reads(lit(file))
			}
		}
	}
}

// keygen makes or changes the key that -f names, unless it only shows one.
func (a *argv) keygen() {
	if f, ok := a.value("-f"); ok && !(a.fixed && a.base == readOnly) {
		a.writes("ssh-keygen -f", f)
	}
}

// opensslKey prints the private key that it reads, unless it is told to show another
// half of it or to put it into a file.
func (a *argv) opensslKey() {
	in, named := a.value("-in")
	low := strings.ToLower(in.text)
	shows := !a.flagged("-pubout", "-pubin", "-text_pub", "-noout", "-out") || a.flagged("-text") &&
		!a.flagged("-pubin", "-text_pub", "-pubout")
	if named && shows && (strings.Contains(low, "key") || strings.Contains(low, "priv") ||
		a.kinds(in)&pathSecret != 0) && !strings.Contains(low, "pub") {
		a.p.raise(destructive, "path:secret", a.name+" prints the private key "+show(in.text))
		a.out |= fromSecret
	}
}

// stdinNames is a program that reads the names of its files from its input.
func (a *argv) stdinNames() {
	if a.in.bits&fromNames != 0 {
		a.p.raise(destructive, "path:secret", a.name+" reads secrets by the names that another command gives")
	}
	for line := range strings.Lines(a.in.text) {
		a.reads(lit(strings.TrimSpace(line)))
	}
}

// shows is a program of objects and verbs, as ip(8), of which some verbs only show. A
// name of a device alone shows it.
func (a *argv) shows() {
	shown := len(a.operands) == 1
	for _, o := range a.operands {
		switch {
		case inList(" show list ls get info link station version help dump stats monitor features feature "+
			"phy reg ", o.text):
			shown = true
		case inList(" add del delete change replace set reset connect disconnect join leave load attach "+
			"detach pin prog-load update flush ", o.text):
			return
		}
	}
	if shown && !a.fixed && a.strange < 2 && a.p.Level < a.base {
		a.base = readOnly
	}
}

// keyed is ar and jar, whose first word is letters: t and p only read.
func (a *argv) keyed() {
	key := first(a.words, "").text
	if strings.Contains(key, "=") || strings.HasPrefix(key, "--") {
		return
	}
	key = strings.TrimLeft(key, "-")
	if key != "" && strings.IndexByte("tp", key[0]) >= 0 && strings.Trim(key, "tpvOfTNaV") == "" {
		a.p.Level, a.p.Row = min(a.p.Level, a.base), a.name
		a.base = readOnly
	}
}

// timeit runs its words as lines of Python.
func (a *argv) timeit() {
	setup, _ := a.value("-s", "--setup")
	lines := []string{setup.text}
	for _, o := range a.operands {
		lines = append(lines, o.text)
	}
	row := *a.row
	row.reader, a.row = "python", &row
	a.code(a.name, lit(strings.Join(lines, "\n")))
}

// prlimit without a limit only shows those that hold.
func (a *argv) prlimit() {
	for _, u := range a.used {
		if u.val.text != "" && !inList(" -p --pid -o --output ", u.name) && a.flagged("-p", "--pid") {
			a.p.raise(privileged, "prlimit --pid", "prlimit changes what another program may use")
		}
	}
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
	case verb == "" || verb == "help" || inList(" VM Thread GC Compiler JFR PerfCounter System ", group):
		a.base = readOnly
	}
}

// gcc hands flags on to the linker and reads more of them from files.
func (a *argv) gcc() {
	for _, wd := range a.words {
		if (strings.HasPrefix(wd.text, "-Wl,") || strings.HasPrefix(wd.text, "-Xlinker")) &&
			strings.Contains(wd.text, "plugin") {
			a.p.raise(destructive, a.name+" -plugin", a.name+" loads "+show(wd.text))
		}
		if strings.HasPrefix(wd.text, "@") && a.w.foreignPlace(wd.text[1:], a.sc) {
			a.p.raise(destructive, a.name+" @FILE", a.name+" takes flags from "+show(wd.text))
		}
	}
}

// packages is a tool whose first operand is a package that it fetches, or whose NAME=PLACE
// says where a template is.
func (a *argv) packages() {
	for _, o := range a.operands {
		if _, place, ok := strings.Cut(o.text, "LOCATION="); ok {
			a.plug(a.name, lit(place))
			a.address(isRead, a.name, lit(place))
		}
	}
	if a.name == "dub run" && len(a.operands) > 0 && !strings.ContainsAny(a.operands[0].text, "./:") {
		a.p.raise(network, a.name, a.name+" fetches "+show(a.operands[0].text)+" and runs it")
	}
}

// zshModule is zmodload and setopt of zsh: some modules remove files or reach other
// machines, others are libraries from anywhere, and prompt_subst runs what prompts hold.
func (a *argv) zshModule() {
	for _, o := range a.operands {
		if a.name == "setopt" {
			if strings.ReplaceAll(strings.ToLower(o.text), "_", "") == "promptsubst" {
				a.p.raise(destructive, "setopt prompt_subst", "prompts run the commands in them from then on")
			}
			continue
		}
		module, ok := strings.CutPrefix(o.text, "zsh/")
		if !ok || !inList(" datetime stat mathfunc complist complete compctl computil parameter zutil "+
			"terminfo termcap zle zleparameter regex pcre langinfo zprof sched rlimits nearcolor random ", module) {
			a.p.raise(destructive, "zmodload "+o.text, "zsh loads code from "+show(o.text))
		}
	}
}
