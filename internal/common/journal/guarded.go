package journal

import (
	"strconv"

	"ua/internal/common/event"
)

// Guarded returns in words what a "guarded" event of ua-sandbox(1) tells: which file of a
// command was moved aside or put back, why, and the option that lets a command keep it.
func Guarded(line []byte) string {
	text := strconv.Quote(event.Str(line, "path")) + ": " // a command chose the name
	switch event.Str(line, "state") {
	case "set_aside":
		text += "moved aside as *.refused"
	case "put_back":
		text += "put back as it was"
	case "unseen":
		text += "not looked at"
	default:
		text += "left, as it could not be moved aside or put back"
	}
	if reason := event.Str(line, "reason"); reason != "" {
		text += ": " + reason
	}
	if option := event.Str(line, "option"); option != "" {
		text += " (" + option + " lets it)"
	}
	return text
}
