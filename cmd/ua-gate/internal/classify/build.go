package classify

import (
	"path"
	"slices"
	"strings"
)

// make looks at the variables and targets that it is given.
func (a *argv) make() {
	for _, o := range a.operands {
		name, val, set := strings.Cut(o.text, "=")
		if !set {
			continue
		}
		name = strings.TrimRight(name, ":+?!")
		if name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" {
			a.p.raise(destructive, "make VAR=", "make runs "+show(val))
			continue
		}
		a.defines("make VAR=", lit(name+"="+val))
		if strings.Contains(val, " ") && startsCommand(val) && !toolValue(val) {
			a.p.raise(destructive, "make VAR=", "make "+name+"= may run "+show(val))
		}
		s := setting{name, o.cut(len(o.text) - len(val))}
		if inList(" prefix destdir ", strings.ToLower(name)) {
			a.stray(s.val, true)
		}
		a.w.setting(a.p, s, nil)
		a.w.namesPlace(a.p, s, a.words, a.sc)
	}
	file, named := a.value("-f", "--file", "--makefile")
	if named && (strings.HasPrefix(file.text, "/") || file.text == "-" || !file.plain() ||
		strings.HasPrefix(file.text, "..")) {
		a.p.raise(destructive, "make -f", "a makefile from elsewhere")
	}
	if named && a.w.hasWritten(file, a.sc) {
		a.p.raise(destructive, "make -f", "make runs what this command has just written")
	}
	a.targets()
}

// startsCommand reports whether a value looks like a command that is no tool of a build: it
// begins with a shell or another program that runs or removes something.
func startsCommand(val string) bool {
	program, _, _ := strings.Cut(strings.TrimLeft(val, "@-+ "), " ")
	return inList(" sh bash dash zsh ksh fish env eval exec rm mv cp dd tee install sudo nohup "+
		"xargs find perl ruby curl wget "+
		"nc ssh scp kill chmod chown ln truncate shred tar rsync ", path.Base(program))
}

// hasWritten reports whether this command has written the file.
func (w *walker) hasWritten(file word, sc *scope) bool {
	return file.text != "" && slices.Contains(w.written, w.at(file.text, sc).abs)
}

// through looks at the words of a tool that builds or tests: behind exec, and
// behind --, may stand a command of its own.
func (a *argv) through() {
	if a.row.level != buildTest || a.rest != nil {
		return
	}
	for i, o := range a.operands {
		if strings.HasPrefix(o.text, "eval ") {
			a.p.raise(destructive, a.name+" eval", a.name+" runs "+show(o.text))
		}
		if strings.Contains(" exec cmd x execute shell ", " "+o.text+" ") || i+1 == a.dashed {
			a.command(a.operands[i+1:])
		}
	}
	last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
	if a.dashed == 0 || strings.Contains(" exec cmd x execute shell ", " "+last+" ") {
		a.command(a.operands)
	}
}

// command judges words as a command if the table knows their program: another is
// the project's own.
func (a *argv) command(words []word) {
	if len(words) == 0 {
		return
	}
	if r, _ := a.w.program(words[0].text); r != nil && r.level > buildTest ||
		words[0].text == "sh" || words[0].text == "bash" {
		a.out |= a.w.run(words, a.in, a.sc.sub(), &a.p.Parts).bits
	}
}

// capnp starts the program that -o names, its own of that language or one of the path given.
// Behind a colon stands the folder for what it makes.
func (a *argv) capnp() {
	if to, ok := a.value("-o", "--output"); ok {
		language, dir, _ := strings.Cut(to.text, ":")
		if strings.Contains(language, "/") {
			a.p.raise(destructive, a.name+" -o", a.name+" runs "+show(language))
		}
		a.effect(isWrite, to.with(dir), "-o")
	}
}

// dashboard is ctest, some of whose actions send their results.
func (a *argv) dashboard() {
	for _, u := range a.used {
		if inList(" -T --test-action -M --test-model -D --dashboard ", u.name) &&
			u.val.text != "Test" {
			a.p.raise(network, a.name+" "+u.name, a.name+" may send results to a dashboard")
		}
	}
}

// template makes a project of a template, which runs code of its own: one of the workspace is
// the project's, and another is fetched.
func (a *argv) template() {
	if len(a.operands) == 0 || a.fixed {
		return
	}
	source := a.operands[0]
	if strings.ContainsAny(source.text, ":@") || !source.plain() ||
		strings.HasSuffix(source.text, ".git") {
		a.p.raise(network, a.name, a.name+" fetches the template "+show(source.text))
		return
	}
	a.plug(a.name, source)
	a.base = write
}

// mvn knows the goals of Maven's own plugins that leave the project.
func (a *argv) mvn() {
	a.targets()
	for _, o := range a.operands {
		plugin, goal, _ := strings.Cut(mavenGoal(o.text), ":")
		switch {
		case plugin == "versions" && !strings.HasPrefix(goal, "display"),
			plugin == "release" && (goal == "clean" || goal == "update-versions"):
			a.base = max(a.base, write)
		case plugin == "scm", plugin == "archetype" && strings.HasPrefix(goal, "generate"),
			inList(" dependency:get wrapper:wrapper ", o.text):
			a.p.raise(network, "mvn "+o.text, "mvn "+o.text+" talks to other machines")
		case goal == "purge-local-repository" || goal == "delete-archetypes":
			a.p.raise(destructive, "mvn "+o.text, "mvn "+o.text+" deletes what was fetched")
		}
	}
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-DshowPasswords") ||
			strings.HasPrefix(wd.text, "-Dexpression=settings.servers") {
			a.p.raise(destructive, "path:secret", "mvn prints the passwords in its settings")
		}
	}
}

// gotool looks at what the go command is given to build.
func (a *argv) gotool() {
	for _, u := range a.used {
		if strings.HasSuffix(u.name, "flags") && (strings.Contains(u.val.text, "extld") ||
			strings.Contains(u.val.text, "plugin") || strings.Contains(u.val.text, "-B/") ||
			strings.Contains(u.val.text, "linktmp")) {
			a.p.raise(destructive, a.name+" "+u.name, u.name+" may name a program that runs")
		}
	}
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, "/") || strings.HasPrefix(o.text, "~") {
			a.plug(a.name, o)
		}
	}
	if a.name == "go run" && first(a.operands, "").text == "-" &&
		(!a.in.known || !onlyComputes(a.in.text)) {
		a.p.raise(destructive, "go run -", "go runs what it reads")
	}
	if a.name == "go run" && len(a.operands) > 0 && strings.Contains(a.operands[0].text, "@") {
		a.p.raise(network, "go run MODULE@VERSION", "go run fetches a program and runs it")
	}
}

// latexmk runs Perl with -e and whatever -pdflatex= names.
func (a *argv) latexmk() {
	for _, u := range a.used {
		if (u.value == isAny || u.value == isGlued) && u.val.text != "" {
			a.p.raise(destructive, "latexmk "+u.name, "latexmk runs what "+u.name+" names")
		}
	}
}

// cargo takes settings in --config KEY=VALUE, of which those of profiles and of the network
// name no program, and files with any settings.
func (a *argv) cargo() {
	for _, u := range a.used {
		key, _, set := strings.Cut(u.val.text, "=")
		section, _, _ := strings.Cut(strings.TrimSpace(key), ".")
		if u.name == "--config" && !(set &&
			inList(" profile net term future-incompat-report cache ", section)) &&
			!inList(" build.jobs build.incremental build.target-dir build.target build.warnings ",
				key) {
			a.p.raise(destructive, a.name+" --config",
				"the setting "+show(u.val.text)+" may name a program")
		}
	}
}

// rustc runs the linker that a code generation option names.
func (a *argv) rustc() {
	for _, u := range a.used {
		if key, _, _ := strings.Cut(u.val.text, "="); u.name == "-Z" &&
			!inList(" unpretty time-passes time-llvm-passes "+
				"build-std build-std-features print-type-sizes self-profile threads sanitizer "+
				"macro-backtrace treat-err-as-bug "+
				"polonius next-solver unstable-options instrument-coverage emit-stack-sizes trace-macros "+
				"validate-mir miri-disable-isolation "+
				"mir-opt-level share-generics ls no-codegen parse-only meta-stats hir-stats input-stats "+
				"panic-abort-tests ", key) {
			a.p.raise(destructive, "rustc -Z", "rustc -Z "+show(key)+" may load code")
		}
		if u.value == isAny && strings.Contains(u.val.text, "linker=") {
			a.p.raise(destructive, "rustc -C linker", "rustc runs "+show(u.val.text))
		}
	}
}

// cmake has tools of its own behind -E: those of these names read or write, and
// any other word is a program.
func (a *argv) cmake() {
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, "SHELL=") {
			a.p.raise(destructive, "cmake SHELL=", "make runs "+show(o.text))
		}
	}
	if target, ok := a.value("--target", "-t"); ok {
		a.task(target.text)
	}
	if len(a.rest) == 0 {
		return
	}
	switch a.rest[0].text {
	case "chdir":
		if len(a.rest) > 2 {
			a.sc = a.sc.sub()
			a.sc.cd(a.rest[1])
			a.rest = a.rest[2:]
		}
	case "capabilities", "compare_files", "echo", "echo_append", "environment", "md5sum", "sha1sum",
		"sha256sum", "sha512sum", "sleep", "true", "false":
		a.base, a.rest = readOnly, nil
	case "copy", "copy_if_different", "copy_directory", "create_symlink", "create_hardlink",
		"make_directory", "touch", "touch_nocreate", "rename":
		for _, wd := range a.rest[1:] {
			a.writes("cmake -E", wd)
		}
		a.w.overwrites(a.p, a.rest[len(a.rest)-1], a.sc)
		if a.rest[0].text == "rename" && len(a.rest) > 1 {
			a.w.overwrites(a.p, a.rest[1], a.sc)
		}
		a.rest = nil
	}
}

// tex runs TeX from its operands as well as from files.
func (a *argv) tex() {
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, `\`) {
			a.p.raise(destructive, a.name+" CODE", a.name+" runs "+show(o.text))
		}
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

// ninja's tools only look, but for those that delete or rewrite what was built.
func (a *argv) ninja() {
	if tool, ok := a.value("-t"); ok {
		if inList(" clean cleandead restat recompact ", tool.text) || !tool.plain() {
			a.p.raise(write, a.name+" -t", a.name+" -t "+show(tool.text)+" changes what was built")
		}
	}
	a.targets()
}
