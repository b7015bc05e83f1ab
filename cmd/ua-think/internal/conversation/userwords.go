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
	case "check":
		text = check(ev)
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

// check shows a check of the run (ua(1), --until) that ended after the model had answered.
func check(ev gjson.Result) string {
	if ev.Get("passed").Bool() {
		return ""
	}
	return fmt.Sprintf("[The task is not done: this check failed with status %d. It will run "+
		"again when you say that you are done.]\n$ %s\n%s", ev.Get("exit_code").Int(),
		ev.Get("command").Str, ev.Get("output").Str)
}
