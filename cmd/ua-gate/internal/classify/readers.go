package classify

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
)

// A reader is code for what a row of the table can't say: a program whose words
// are a language of their own.
type reader func(*argv)

// wholeReader returns the reader that takes all words of a program itself.
func wholeReader(name string) reader {
	switch name {
	case "find":
		return (*argv).find
	case "shell":
		return (*argv).shell
	case "tar":
		return (*argv).tar
	case "echo":
		return (*argv).echo
	}
	return nil
}

// afterReader returns the reader that looks at what the flag reader found. It is a switch
// because a table would be initialised from itself: readers read commands inside commands.
func afterReader(name string) reader {
	switch name {
	// A table: the reader that a row names, and the rule for what is left after its words.
	case "python":
		return (*argv).pythonRun
	case "fish":
		return (*argv).fishShell
	case "sed":
		return (*argv).sedFiles
	case "perl", "ruby":
		return (*argv).inPlace
	case "eval":
		return (*argv).eval
	case "builtin":
		return (*argv).builtin
	case "xargs":
		return (*argv).xargs
	case "parallel":
		return (*argv).parallel
	case "make":
		return (*argv).make
	case "git":
		return (*argv).git
	case "runner":
		return (*argv).runner
	case "sql":
		return (*argv).database
	case "mv":
		return (*argv).mv
	case "scripts":
		return (*argv).scripts
	case "awk":
		return (*argv).awkFile
	case "fd":
		return (*argv).fd
	}
	return nil
}

func knownReader(name string) bool {
	return name == "" || name == "inside" || name == "stdin-names" || wholeReader(name) != nil ||
		afterReader(name) != nil || readerOfCode(name) != nil || knowsCode(name)
}

// knowsCode reports whether the reader stands for a language in which a program gets code: one
// that package code reads, or one whose code counts as unread.
func knowsCode(reader string) bool {
	return inList(" unread gdb ", reader) || code.Knows(reader)
}

// first returns the first of the words, or one with the text.
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

// letter reports whether a word with one dash has the letter of a flag.
func (a *argv) letter(letter string) bool {
	return slices.ContainsFunc(a.words, func(wd word) bool {
		return len(wd.text) > 1 && wd.text[0] == '-' && wd.text[1] != '-' &&
			strings.Contains(wd.text, letter)
	})
}

// value returns the value of the last use of one of the flags.
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
