package classify

import (
	"slices"
	"strings"
)

// make looks at the variables and targets that it is given.
func (a *argv) make() {
	for _, o := range a.operands {
		name, val, set := strings.Cut(o.text, "=")
		name = strings.TrimRight(name, ":+?!")
		switch {
		case set && (name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS" || substitutes(val)):
			a.p.raise(destructive, "make VAR=", "make runs "+show(val))
		case set:
			a.w.setting(a.p, setting{name, o.cut(len(o.text) - len(val))}, nil)
		}
	}
	if file, ok := a.value("-f", "--file", "--makefile"); ok && (strings.HasPrefix(file.text, "/") || file.text == "-" || !file.plain() || strings.HasPrefix(file.text, "..")) {
		a.p.raise(destructive, "make -f", "a makefile from elsewhere")
	}
	if file, ok := a.value("-f", "--file", "--makefile"); a.w.hasWritten(a, file, ok, "Makefile", "makefile", "GNUmakefile") {
		a.p.raise(destructive, "make", "make runs what this command has just written")
	}
	a.targets()
}

// hasWritten says whether this command has written the file, or one of the
// names by which a program finds it itself.
func (w *walker) hasWritten(a *argv, file word, named bool, names ...string) bool {
	if named {
		names = []string{file.text}
	}
	for _, n := range names {
		if slices.Contains(w.written, w.at(n, a.sc).abs) {
			return true
		}
	}
	return false
}

// targets looks at the names of a project's own tasks: some say that they leave
// the machine, or the project.
func (a *argv) targets() {
	if !strings.HasPrefix(a.name, "make") && a.w.hasWritten(a, word{}, false, "package.json", "Rakefile", "justfile", "Taskfile.yml", "build.gradle", "pom.xml") {
		a.p.raise(destructive, a.name, a.name+" runs what this command has just written")
	}
	for _, o := range a.operands {
		word := strings.FieldsFunc(o.text, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' })
		if len(word) == 0 {
			continue
		}
		switch word[0] {
		case "deploy", "publish", "release", "push", "upload":
			a.p.raise(network, a.name+" "+o.text, "the task "+o.text+" says that it leaves this machine")
		case "install", "uninstall":
			if a.name == "make" || a.name == "ninja" || a.name == "gmake" {
				a.base = max(a.base, write)
			}
		}
		if a.name != "make" {
			return
		}
	}
}

// gotool looks at what the go command is given to build.
func (a *argv) gotool() {
	for _, u := range a.used {
		if strings.HasSuffix(u.name, "flags") && (strings.Contains(u.val.text, "extld") || strings.Contains(u.val.text, "plugin") || strings.Contains(u.val.text, "linktmp")) {
			a.p.raise(destructive, a.name+" "+u.name, u.name+" may name a program that runs")
		}
	}
	if a.name == "go run" && len(a.operands) > 0 && strings.Contains(a.operands[0].text, "@") {
		a.p.raise(network, "go run MODULE@VERSION", "go run fetches a program and runs it")
	}
}

// runner is npx and its like: a tool of the project if the table knows it, and
// else one that is fetched.
func (a *argv) runner() {
	name := first(a.rest, "").text
	r := a.w.row(name)
	if r != nil && r.level <= write && !a.flagged("-p", "--package", "--from", "--with", "-c", "--call") {
		a.base = readOnly
	}
}

// latexmk runs Perl with -e and whatever -pdflatex= names.
func (a *argv) latexmk() {
	for _, u := range a.used {
		if u.value == isAny && u.val.text != "" {
			a.p.raise(destructive, "latexmk "+u.name, "latexmk runs what "+u.name+" names")
		}
	}
}

// rustc runs the linker that a code generation option names.
func (a *argv) rustc() {
	for _, u := range a.used {
		if u.value == isAny && strings.Contains(u.val.text, "linker=") {
			a.p.raise(destructive, "rustc -C linker", "rustc runs "+show(u.val.text))
		}
	}
}

// cmake has tools of its own behind -E: those of these names read or write, and
// any other word is a program.
func (a *argv) cmake() {
	for _, u := range a.used {
		key, val, _ := strings.Cut(u.val.text, "=")
		if u.name == "-D" && strings.HasPrefix(val, "/") && !strings.HasPrefix(val, "/usr/") && (strings.Contains(key, "COMPILER") || strings.Contains(key, "LAUNCHER") || strings.Contains(key, "PROGRAM") || strings.Contains(key, "TOOLCHAIN")) {
			a.p.raise(destructive, "cmake -D", "cmake runs "+show(val))
		}
	}
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, "SHELL=") {
			a.p.raise(destructive, "cmake SHELL=", "make runs "+show(o.text))
		}
	}
	if len(a.rest) == 0 {
		return
	}
	switch a.rest[0].text {
	case "capabilities", "compare_files", "echo", "echo_append", "environment", "md5sum", "sha1sum", "sha256sum", "sha512sum", "sleep", "true", "false":
		a.base, a.rest = readOnly, nil
	case "copy", "copy_if_different", "copy_directory", "create_symlink", "create_hardlink", "make_directory", "touch", "touch_nocreate", "rename":
		for _, wd := range a.rest[1:] {
			a.writes("cmake -E", wd)
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
