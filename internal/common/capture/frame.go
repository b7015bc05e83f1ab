package capture

import "strings"

// Frame marks text as output of a terminal, so that a model can tell it from
// instructions. The text cannot contain the marks: package scrub removes them.
func Frame(text string) string {
	if text == "" {
		return ""
	}
	return "<terminal_output>\n" + strings.TrimSuffix(text, "\n") + "\n</terminal_output>\n"
}
