package classify

import (
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// A reader is code for what a row of the table can't say: a program whose words
// are a language of their own.
type reader func(*argv)

// wholeReader is the reader that takes all words of a program itself.
func wholeReader(name string) reader {
	switch name {
	case "find":
		return (*argv).find
	case "shell":
		return (*argv).shell
	case "python":
		return (*argv).python
	case "ip":
		return (*argv).ip
	case "tar":
		return (*argv).tar
	case "echo":
		return (*argv).echo
	}
	return nil
}

// afterReader is the reader that looks at what the flag reader found.
func afterReader(name string) reader {
	switch name {
	case "sed":
		return (*argv).sedFiles
	case "perl":
		return (*argv).perlFiles
	case "eval":
		return (*argv).eval
	case "trap":
		return (*argv).trap
	case "source":
		return (*argv).source
	case "alias":
		return (*argv).alias
	case "cd":
		return func(a *argv) { a.sc.cd(first(a.operands, "~")) }
	case "sets":
		return (*argv).sets
	case "subscript":
		return (*argv).subscript
	case "xargs":
		return (*argv).xargs
	case "parallel":
		return (*argv).parallel
	case "dd":
		return (*argv).dd
	case "chmod":
		return (*argv).chmod
	case "make":
		return (*argv).make
	case "targets":
		return (*argv).targets
	case "rsync":
		return (*argv).rsync
	case "docker":
		return (*argv).docker
	case "git":
		return (*argv).gitWord
	case "git-checkout":
		return (*argv).gitCheckout
	case "git-config":
		return (*argv).gitConfig
	case "git-push":
		return (*argv).gitPush
	case "git-clean":
		return (*argv).gitClean
	case "git-gc":
		return (*argv).gitGC
	case "gotool":
		return (*argv).gotool
	case "runner":
		return (*argv).runner
	case "magick":
		return (*argv).magick
	case "sysctl":
		return (*argv).sysctl
	case "strace":
		return (*argv).strace
	case "gs":
		return (*argv).gs
	case "rustc":
		return (*argv).rustc
	case "cmake":
		return (*argv).cmake
	case "tex":
		return (*argv).tex
	case "mktemp":
		return (*argv).mktemp
	case "script":
		return (*argv).record
	case "mode":
		return (*argv).mode
	case "settings":
		return (*argv).settings
	case "links":
		return (*argv).links
	case "latexmk":
		return (*argv).latexmk
	case "cat":
		return (*argv).cat
	case "socat":
		return (*argv).socat
	case "exiftool":
		return (*argv).exiftool
	case "inplace":
		return (*argv).inplace
	case "mv":
		return (*argv).mv
	}
	return nil
}

// A codeReader says what a text in another language does: its level, and why.
// It may judge the files that the text names.
type codeReader func(a *argv, text string) (verdict.Level, string)

func readerOfCode(name string) codeReader {
	switch name {
	case "sed":
		return readSed
	case "awk":
		return readAwk
	case "perl":
		return readPerl
	case "python":
		return readPython
	case "node":
		return readNode
	case "sql":
		return readSQL
	case "vim":
		return readVim
	case "gdb":
		return readGdb
	}
	return nil
}

func knownReader(name string) bool {
	return name == "" || wholeReader(name) != nil || afterReader(name) != nil || readerOfCode(name) != nil
}

// code is the rule for a text in another language: destructive, if no reader
// knows better.
func (a *argv) code(label string, val word) {
	if val.from&(fromNet|fromDecode) != 0 {
		a.w.scriptFrom(a.p, val.from, label)
		return
	}
	read := readerOfCode(a.row.reader)
	text := strings.ReplaceAll(val.text, hole, "0")
	if read == nil || val.text == hole {
		a.p.raise(destructive, label, label+" runs code that is not understood")
		a.connects(label, text)
		return
	}
	level, why := read(a, text)
	if level > readOnly {
		a.p.raise(level, label, a.name+": "+why)
	}
	if level == destructive {
		a.connects(label, text)
	}
}

// connects looks in code that is not understood for words by which it reaches
// other machines, and gives them a shell. It only raises: code without these
// words is no better for it.
func (a *argv) connects(label, text string) {
	has := func(marks ...string) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) })
	}
	if !has("socket", "Socket", "http://", "https://", "ftp://", "urlopen", "urllib.request", "fsockopen", `"net"`, "'net'", "/inet/", "Net::") {
		return
	}
	a.p.raise(network, label, label+" runs code that talks to other machines")
	if has("/bin/sh", "/bin/bash", "popen", "subprocess", "exec(", "spawn", "ProcessBuilder", "os.system", "eval") {
		a.p.raise(denied, label, label+" runs code that gives another machine a shell")
	}
}

// first is the first of the words, or one with the text.
func first(words []word, text string) word {
	if len(words) > 0 {
		return words[0]
	}
	return lit(text)
}

// used says whether the command has one of the flags.
func (a *argv) flagged(names ...string) bool {
	for _, u := range a.used {
		for _, n := range names {
			if u.name == n {
				return true
			}
		}
	}
	return false
}

// value is the value of the last use of one of the flags.
func (a *argv) value(names ...string) (val word, ok bool) {
	for _, u := range a.used {
		for _, n := range names {
			if u.name == n {
				val, ok = u.val, true
			}
		}
	}
	return val, ok
}
