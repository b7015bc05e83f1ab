package classify

import (
	"slices"
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

// inAny reports whether one of the words stands in a list.
func inAny(list string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return inList(list, w) })
}

// toolValue reports whether a program's value is a tool that builds use, perhaps with harmless
// flags.
func (w *machine) toolValue(text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 || strings.ContainsAny(text, ";|&$`<>()!\n'\""+hole) {
		return len(words) == 0
	}
	r, least := w.program(words[0])
	return r != nil && max(r.level, least) <= buildTest && r.facts&(factCode|factScript) == 0 &&
		!slices.ContainsFunc(words[1:], func(t string) bool {
			return t[0] != '-' && !w.toolValue(t) || !mildFlags(t) || t == "-c" ||
				strings.Contains(t, "/")
		})
}
