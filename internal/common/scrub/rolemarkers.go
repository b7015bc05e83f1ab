package scrub

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// A marker is text that models, or this program, put around roles, tools or output. In
// the output of a command it does not mean that.
type marker struct {
	kind, text string
	line       bool // only at the start of a line
}

// markers returns the rows of rolemarkers.txt. They are rare in honest output, so that a file that
// the model reads in order to change it looks unchanged.
var markers = sync.OnceValue(func() (list []marker) {
	kind := ""
	for row := range strings.Lines(markerRows) {
		row = strings.TrimSuffix(row, "\n")
		if row[0] != '\t' {
			kind = row
			continue
		}
		text, line := strings.CutPrefix(row[1:], "^")
		text, _ = strconv.Unquote(`"` + text + `"`)
		list = append(list, marker{kind, text, line})
	}
	return list
})

//go:embed rolemarkers.txt
var markerRows string

// blunt breaks each occurrence of the marker by a character that looks like its own. A
// reader still sees what was there, but it is no marker any more.
func blunt(text string, m marker, counts map[string]int) string {
	var b strings.Builder
	rest := text
	for from := 0; ; {
		i := indexFold(rest[from:], m.text)
		if i < 0 {
			break
		}
		i += from
		if m.line && !begins(rest[:i]) {
			from = i + 1
			continue
		}
		b.WriteString(rest[:i])
		b.WriteString(lookalike(rest[i : i+len(m.text)]))
		counts[m.kind]++
		rest, from = rest[i+len(m.text):], 0
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + rest
}

// begins reports whether a line begins after text, or whether the line has only blanks so
// far and the names of hidden characters: a reader takes that for the beginning, too.
func begins(text string) bool {
	for {
		text = strings.TrimRight(text, " \t")
		if text == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") {
			return true
		}
		at := len(text) - len(`\x00`)
		if name := strings.LastIndexByte(text, '['); strings.HasSuffix(text,
			" hidden characters]") ||
			strings.HasSuffix(text, "]") && strings.HasPrefix(text[max(name, 0):], "[U+") {
			at = name
		} else if at >= 0 && text[at:at+2] != `\x` {
			at = -1
		}
		if at < 0 {
			return false
		}
		text = text[:at]
	}
}

// lookalike returns a marker whose first bracket or colon is a similar character.
func lookalike(s string) string {
	switch s[0] {
	case '<':
		return "‹" + s[1:]
	case '[':
		return "［" + s[1:]
	}
	return strings.TrimSuffix(s, ":") + "："
}

// indexFold is strings.Index for an ASCII word in any case.
func indexFold(s, word string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], word[0])
		if i < 0 || at+i+len(word) > len(s) {
			return -1
		}
		if at += i; strings.EqualFold(s[at:at+len(word)], word) {
			return at
		}
	}
}

// Phrases is the kind under which Text counts phrases that read like instructions to a
// model.
const Phrases = "instruction_phrase"

// phrases are words by which text on the web and in files tries to command a model that
// reads it, in small letters, a line each; ␠ is a blank at the end. They are only counted, since
// a model that edits a file needs it as it is.
//
//go:embed phrases.txt
var phrases string

// countPhrases counts the phrases in text, in any case and with any blanks.
func countPhrases(text string) (n int) {
	low := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for phrase := range strings.FieldsFuncSeq(phrases, func(r rune) bool { return r == '\n' }) {
		n += strings.Count(low, strings.Replace(phrase, "␠", " ", 1))
	}
	return n
}
