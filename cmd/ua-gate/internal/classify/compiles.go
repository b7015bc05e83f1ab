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
	if max(a.p.Level, a.base) > buildTest && !notedWriter(name) && !a.mildEdit() {
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

// mixesCode reports whether this command has written what may be code of another kind than it
// says in its own text, and harmless there.
func (a *argv) mixesCode() bool {
	return slices.ContainsFunc(slices.Clone(a.w.written), func(file string) bool {
		return !slices.Contains(a.w.built, file) && mayBeCode(file) && !a.readsWritten(file)
	})
}
