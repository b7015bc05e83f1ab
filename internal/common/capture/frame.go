package capture

import "strings"

// Frame marks text as what a terminal shows, for a model to tell it from
// instructions. The marks can't stand in it: package scrub takes them out.
func Frame(text string) string {
	if text == "" {
		return ""
	}
	return "<terminal_output>\n" + strings.TrimSuffix(text, "\n") + "\n</terminal_output>\n"
}
