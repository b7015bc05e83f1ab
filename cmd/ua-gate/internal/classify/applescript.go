package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readAppleScript reads what osascript(1) is given: only statements that return, get or count
// something are known, and none in which a shell, a key or another script stands.
func readAppleScript(a *argv, text string) (verdict.Level, string) {
	if a.flagged("-l") {
		return destructive, "a script in another language"
	}
	low := strings.ToLower(text)
	for _, bad := range []string{"script", "shell", "keystroke", "key code", "delete", "click",
		" set ", " make ", "quit", "open ", "run ",
		"move ", "password", "\xc2", "close", "save", "duplicate", "empty", "send", "write", "activate",
		"eject", "restart",
		"shut", "sleep", "log out", "perform", "eval", "«", "http", "launch", "store", "mount",
		"clipboard", "keychain"} {
		if strings.Contains(low, bad) {
			return destructive, "the script may do more than look"
		}
	}
	for line := range strings.Lines(low) {
		line = strings.TrimSpace(line)
		if app, verb, ok := strings.Cut(line, " to "); ok &&
			(strings.HasPrefix(app, "tell app ") || strings.HasPrefix(app, "tell application ")) {
			line = verb
		}
		word, _, _ := strings.Cut(line, " ")
		if !inList(" get return count exists name version id system path current a the every end tell "+
			"log ", word) && line != "" &&
			strings.Trim(line, "0123456789+-*/(). ") != "" {
			return destructive, "a statement that is not known"
		}
	}
	return readOnly, ""
}
