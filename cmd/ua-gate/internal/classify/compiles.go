package classify

import (
	"path"
	"slices"
	"strings"
)

// compilers make a program of sources, in the file that -o names.
const compilers = " gcc cc g++ c++ clang clang++ gfortran c99 rustc swiftc ghc dmd ldc2 gdc " +
	"kotlinc fpc gnatmake mpicc mpicxx mpic++ mpifort mpif90 nagfor gnat icc icx icpx ifx nvcc " +
	"tcc c89 musl-gcc cobc ocamlc ocamlopt iverilog "

// notedWriter reports whether the program writes the files that it names, which the rules for it
// note, or what comes from the history of the project, or runs what is judged on its own.
func notedWriter(name string) bool {
	switch name {
	case "mkdir", "chmod", "touch", "trap", "eval", "rm", "rmdir", "tee", "mktemp", "cat",
		"echo", "printf", "truncate", "npm ci", "npm install", "pnpm install",
		"yarn install", "go mod init", "git init", "npm init", "cargo init", "cargo new",
		"uv init", "dotnet new", "poetry init", "git add", "git commit", "git restore",
		"git stash", "git mv", "git tag", "git branch", "git worktree":
		return true
	}
	return false
}

// compiles notes the program that a compiler makes, to be run as `go run` runs it: where what
// this command wrote of the files that go into it is harmless.
func (a *argv) compiles() {
	if a.name == "mv" || a.name == "git mv" {
		a.w.made, a.w.built = nil, nil // one of them may now be what another file was
	}
	name, _, _ := strings.Cut(a.name, " -")
	if max(a.p.Level, a.base) > buildTest && !notedWriter(name) && !a.mildEdit() && !a.copies() {
		a.w.changed = true
	}
	foreign := func(o word) bool {
		return o.plain() && !a.w.inWorkspace(a.w.at(o.text, a.sc))
	}
	if a.name == "javac" {
		if a.w.changed || slices.ContainsFunc(a.operands, foreign) || a.mixesCode() {
			return
		}
		dir, _ := a.value("-d")
		for _, o := range a.operands {
			class := path.Join(dir.text, strings.TrimSuffix(path.Base(o.text), ".java")+".class")
			a.w.wroteFile(class, a.sc)
			a.w.built = append(a.w.built, a.w.at(class, a.sc).abs)
		}
		return
	}
	a.copiesBuilt()
	if !inList(compilers, a.name) && a.name != "go build" &&
		!(a.name == "go test" && a.flagged("-c")) {
		return
	}
	if a.w.changed || a.in.open || slices.ContainsFunc(a.operands, foreign) || a.mixesCode() {
		a.w.changed = true // it makes a program of what is not the project's
		return
	}
	out, ok := a.value("-o", "-d")
	if !ok {
		out = lit("a.out")
		if src := first(a.operands, "").text; inList(" rustc ghc dmd ldc2 gdc swiftc fpc gnatmake ",
			a.name) &&
			src != "" {
			out = lit(strings.TrimSuffix(path.Base(src), path.Ext(src)))
		}
	}
	if at := a.w.at(out.text, a.sc); out.plain() && (a.w.inWorkspace(at) || at.within("/tmp")) ||
		out.from&fromTemp != 0 && at.within("/tmp/"+hole) && strings.Count(out.text, hole) == 1 {
		again := a.w.rewrites
		a.w.wroteFile(out.text, a.sc)
		a.w.rewrites = again // it is made of the project's code each time
		a.w.built = append(a.w.built, at.abs)
	}
}

// copiesBuilt notes that a program which this command has built, or which lies where the project's
// builds put it, is now under another name.
func (a *argv) copiesBuilt() {
	if !inList(" cp mv install ", a.name) || len(a.operands) != 2 || !a.operands[1].plain() {
		return
	}
	from, to := a.operands[0], a.operands[1].text
	if strings.HasSuffix(to, "/") {
		to = path.Join(to, path.Base(from.text))
	}
	if from.plain() && slices.Contains(a.w.built, a.w.at(from.text, a.sc).abs) ||
		a.fromProject(from) && buildDir(path.Dir(from.text)) {
		again := a.w.rewrites
		a.w.wroteFile(to, a.sc)
		a.w.rewrites = again
		a.w.built = append(a.w.built, a.w.at(to, a.sc).abs)
	}
}

// mixesCode reports whether this command has written what may be code of another kind than it
// says in its own text, and harmless there.
func (a *argv) mixesCode() bool {
	return slices.ContainsFunc(slices.Clone(a.w.written), func(file string) bool {
		return !slices.Contains(a.w.built, file) && mayBeCode(file) && !a.readsWritten(file)
	})
}

// copies reports whether the program copies or moves nothing but files of the project, and notes
// those that are now what another one was which had a name of the same kind: they run as that did.
func (a *argv) copies() bool {
	if !inList(" cp mv install git mv ", a.name) || len(a.operands) < 2 ||
		a.flagged("-t", "--target-directory") {
		return false
	}
	from, to := a.operands[:len(a.operands)-1], a.operands[len(a.operands)-1]
	for _, file := range from {
		if at := a.w.at(file.text, a.sc); !file.known() || !a.w.inWorkspace(at) {
			return false
		}
	}
	for _, file := range from {
		if !a.fromProject(file) || !to.plain() {
			continue
		}
		for _, name := range []string{to.text, path.Join(to.text, path.Base(file.text)), file.text} {
			if sameKind(file.text, name) {
				a.w.texts = append(a.w.texts, fileText{file: a.w.at(name, a.sc).abs, own: true})
			}
		}
	}
	return to.plain()
}

// sameKind reports whether tools that run files by their names take both files for the same.
func sameKind(one, other string) bool {
	return path.Ext(one) == path.Ext(other) && (path.Ext(one) != "" && !shellInside(one) ||
		path.Base(one) == path.Base(other))
}

// fromProject reports whether a file is in the workspace, and as it was before the command.
func (a *argv) fromProject(file word) bool {
	at := a.w.at(file.text, a.sc)
	_, linked := a.w.real(at)
	return file.known() && !a.w.changed && a.w.unpacked == "" && len(a.w.links)+len(a.w.fetched)+
		len(a.w.ran) == 0 &&
		!linked && a.w.inWorkspace(at) && a.sc.maybe == 0 &&
		!slices.ContainsFunc(a.w.written[:min(a.began, len(a.w.written))], at.within)
}
