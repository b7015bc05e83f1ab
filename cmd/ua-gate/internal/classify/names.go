package classify

import (
	"strings"
	"unicode"
)

// inList reports whether a word stands in a list that blanks part.
func inList(list, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(list[from:], word)
		if i < 0 {
			return false
		}
		i += from
		if end := i + len(word); i > 0 && list[i-1] == ' ' && end < len(list) &&
			(list[end] == ' ' || list[end] == '\n') {
			return true
		}
		from = i + 1
	}
}

// keyWords returns the words of a name such as CMAKE_C_COMPILER_LAUNCHER,
// exec.executable or PreBuildEvent, in lower case.
func keyWords(key string) []string {
	var words []string
	var cur strings.Builder
	flush := func() {
		if cur.Len() > 0 {
			words = append(words, strings.ToLower(cur.String()))
			cur.Reset()
		}
	}
	before := 'A'
	for _, c := range key {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			flush()
			before = 'A'
			continue
		}
		if unicode.IsUpper(c) && unicode.IsLower(before) {
			flush()
		}
		cur.WriteRune(c)
		before = c
	}
	flush()
	return words
}

// programWords say that a setting of that name is a program, or what one runs.
const programWords = ` compiler launcher linker wrapper runner emulator interpreter executable ` +
	`program command cmd exec hook hooks pager editor
 shell browser askpass jvm debugger debug event prebuild postbuild assembler archiver
 preprocessor tool toolpath toolexe agent javaagent loader handler run under cc cxx cpp ld
 invoke environment rsh ssh rustc rustdoc sendmail daemon profiler
 launch tidy iwyu cppcheck cpplint `

// quietWords, as the last word of a name, say that it is no program after all: a
// version, a switch, a name or a folder of one.
const quietWords = ` version flags options opts args id name names type level mode output ` +
	`enabled launched standard features cache works loaded forced frontend target abi variant dir ` +
	`warnings count timeout class main package port host url jvmargs argline `

// namesProgram reports whether a setting of that name is a program that runs.
func namesProgram(key string) bool { return sayProgram(keyWords(key)) }

// sayProgram reports whether the words of a name say that it is a program that runs.
func sayProgram(words []string) bool {
	if len(words) == 0 || inList(quietWords, words[len(words)-1]) ||
		inAny(" arguments args ", words[:len(words)-1]) {
		return false
	}
	for _, w := range words {
		if inList(programWords, w) {
			return true
		}
		for _, part := range []string{"prebuild", "postbuild", "prelink", "buildevent"} {
			if strings.Contains(w, part) { // to MSBuild prebuildevent is PreBuildEvent
				return true
			}
		}
	}
	return false
}

// knownTools are programs that a build may be told to use.
const knownTools = "gcc cc clang g++ c++ clang++ ld lld mold ar gold tcc icc nvcc rustc go " +
	"cargo ccache sccache distcc icecc gmake make ninja cl link msvc " +
	"musl-gcc musl-clang zig emcc em++ clang-cl gfortran flang nasm yasm ranlib strip objcopy nm " +
	"as pkg-config pkgconf cmake python python3 node nodejs java javac " +
	"doxygen flex bison yacc lex swig perl ruby git cat less vi vim nano true false lld-link " +
	"ld.lld ld64.lld llvm-ar llvm-ranlib llvm-nm " +
	"clang-tidy cppcheck cpplint include-what-you-use iwyu"

// toolValue reports whether a program's value is a tool that builds use, a switch or a
// number.
func toolValue(text string) bool {
	text = strings.Trim(text, `"'`)
	low := strings.ToLower(text)
	if strings.Trim(low, "0123456789.") == "" ||
		inList(" on off true false yes no auto none default modern classic extjavac ", low) {
		return true
	}
	words := strings.Fields(text)
	if len(words) == 0 || strings.ContainsAny(text, ";|&$`<>()!\n'\""+hole) {
		return len(words) == 0
	}
	program := words[0]
	if i := strings.LastIndexByte(program, '/'); i >= 0 {
		if !systemDir(program[:i]) && !strings.HasPrefix(program, "/opt/") &&
			!strings.HasPrefix(program, "/usr/") {
			return false
		}
		program = program[i+1:]
	}
	known := func(name string) bool {
		return name != "" && inList(" "+knownTools+" ", strings.TrimRight(strings.TrimRight(name,
			"0123456789."), "-"))
	}
	if i := strings.LastIndexByte(program, '-'); !known(program) && !(i > 0 &&
		known(program[i+1:])) { // aarch64-linux-gnu-gcc
		return false
	}
	for _, w := range words[1:] {
		if program == "git" && !strings.HasPrefix(w, "-") {
			return false // whose verbs do as they do anywhere
		}
		if !mildFlags(w) || w == "-c" || w == "-e" || strings.Contains(w, "/") &&
			!strings.HasPrefix(w, "-I") && !strings.HasPrefix(w, "-L") &&
			!strings.HasPrefix(w, "--sysroot=") {
			return false
		}
	}
	return true
}
