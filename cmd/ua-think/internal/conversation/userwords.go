package conversation

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// userParts returns what an instruction, a message, a command of the user's shell or a
// checkpoint tells the model. A message names its sender unless that is the user.
func userParts(ev gjson.Result) (parts []Part) {
	text := ev.Get("text").Str
	switch ev.Get("type").Str {
	case "message":
		if from := ev.Get("from").Str; from != "" && from != "user" && text != "" {
			text = "[message from " + from + "]\n" + text
		}
	case "shell_command":
		text = shellCommand(ev)
	}
	if strings.TrimSpace(text) != "" {
		parts = append(parts, Part{Kind: Text, Text: text})
	}
	return append(parts, attachments(ev.Get("attachments"))...)
}

// shellCommand shows a command that the user ran by hand, as a terminal would.
func shellCommand(ev gjson.Result) string {
	var b strings.Builder
	b.WriteString("[The user ran this in the shell")
	if cwd := ev.Get("cwd").Str; cwd != "" {
		b.WriteString(", in " + cwd)
	}
	fmt.Fprintf(&b, ".]\n$ %s\n%s", ev.Get("command").Str, ev.Get("output").Str)
	if code := ev.Get("exit_code"); code.Exists() && code.Int() != 0 {
		fmt.Fprintf(&b, "\n[exit status %d]", code.Int())
	}
	return b.String()
}
