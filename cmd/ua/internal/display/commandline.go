package display

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// commandLine returns a command and its risk in one line. A verdict may carry a command
// that was changed, which then stands in place of the one that the model asked for. Of a
// command with more than that line, the first part behind it that decided its risk is added.
func commandLine(paint style.Style, command string, judged []byte) string {
	if changed := event.Str(judged, "command"); changed != "" {
		command = changed
	}
	risk, line := event.Str(judged, "risk"), style.FirstLine(command, 200)
	if strings.HasSuffix(line, style.Mark(" …")) {
		for _, part := range gjson.GetBytes(judged, "simple").Array() {
			text := style.FirstLine(part.Get("text").Str, 100)
			if part.Get("level").Str == risk && !strings.Contains(line, text) {
				line += " " + text
				break
			}
		}
	}
	return paint.Cyan(style.Mark("❯")) + " " + line + " " + paint.Risk(cmp.Or(risk, "no risk named"))
}
