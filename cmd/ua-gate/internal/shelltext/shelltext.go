// Package shelltext says what a text for a shell is that comes as JSON or as words, and why a
// text is none.
package shelltext

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"mvdan.cc/sh/v3/syntax"
)

// Of returns the text of a JSON string, or of a list of the words of a simple command, and why it
// can't run.
func Of(value gjson.Result) (text, bad string) {
	if !value.IsArray() {
		if value.Type != gjson.String {
			return "", "the call has no command that is a string"
		}
		return value.Str, Lone(value)
	}
	var words []string
	for _, w := range value.Array() {
		if bad = cmp.Or(bad, Lone(w)); w.Type != gjson.String {
			bad = "a word of the command is not a string" // an agent may take a list for more words
		}
		words = append(words, w.String())
	}
	text, err := Quote(words)
	if err != nil {
		bad = err.Error()
	}
	return text, bad
}

// Quote returns the words as a simple command.
func Quote(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		var err error
		if quoted[i], err = syntax.Quote(w, syntax.LangBash); err != nil {
			return "", fmt.Errorf("%q: %v", w, err)
		}
	}
	return strings.Join(quoted, " "), nil
}

// Lone says why a JSON string cannot be a command, or "". Half of a UTF-16 pair
// is no character, and readers differ in what they take it for (RFC 8259, section 8.2).
func Lone(text gjson.Result) string {
	if strings.ContainsRune(text.Str, utf8.RuneError) && strings.Contains(text.Raw, `\u`) {
		return "the command has a lone surrogate, which is not a character, or U+FFFD in its place"
	}
	return ""
}

// Unprintable says why a person could not read a text as a command, or "". Newlines and
// tabs are readable.
func Unprintable(command string) string {
	if !utf8.ValidString(command) {
		return "the command is not UTF-8: write other bytes as $'\\x..'"
	}
	for i, r := range command {
		switch {
		case r == '\r':
			return fmt.Sprintf("the command has a carriage return (U+000D) at byte %d: end its lines "+
				"with a newline alone; for CRLF in a file put awk '{printf \"%%s\\r\\n\", $0}' in place "+
				"of cat before the here-document, and in a word write $'\\r'", i)
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			return fmt.Sprintf("the command has the control character U+%04X at byte %d: in a word "+
				"write it as $'\\x%02x', and in place of a here-document with it use printf", r, i, r)
		}
	}
	return ""
}
