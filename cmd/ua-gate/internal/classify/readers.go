package classify

import (
	"slices"
	"strings"
)

// A reader is code for what a row of the table can't say: a program whose words
// are a language of their own.
type reader func(*argv)

// readerOf returns the reader that a row names: one that takes all words of the program itself, or
// one that looks at what the flag reader found. It is a switch because a table would be
// initialised from itself: readers read commands inside commands.
func readerOf(name string) (read reader, whole bool) {
	switch name {
	case "find":
		return (*argv).find, true
	case "shell":
		return (*argv).shell, true
	case "echo":
		return (*argv).echo, true
	case "python":
		return (*argv).pythonRun, false
	case "perl", "ruby":
		return (*argv).perlFlags, false
	case "eval":
		return (*argv).eval, false
	case "builtin":
		return (*argv).builtin, false
	case "xargs":
		return (*argv).xargs, false
	case "parallel":
		return (*argv).parallel, false
	case "git":
		return (*argv).git, false
	case "runner":
		return (*argv).runner, false
	case "mv":
		return (*argv).mv, false
	case "scripts":
		return (*argv).scripts, false
	case "fd":
		return (*argv).fd, false
	}
	return nil, false
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
