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

// resultPart returns the part for a tool_result, or for an error event that answers a
// call.
func resultPart(ev gjson.Result) Part {
	p := Part{Kind: Result, ID: ev.Get("call_id").Str}
	if ev.Get("type").Str == "error" {
		p.Bad = true
		p.Text = "error: " + ev.Get("message").Str
		return p
	}
	// Providers refuse a text of nothing but white space.
	if p.Text = ev.Get("output").Str; strings.TrimSpace(p.Text) == "" {
		p.Text = ""
	}
	status := ev.Get("status").Str
	p.Bad = status != "" && status != "run" && status != "background"
	if note := outcome(ev, p.Text != ""); note != "" {
		if p.Text != "" && !strings.HasSuffix(p.Text, "\n") {
			p.Text += "\n"
		}
		p.Text += note
	}
	p.Media = mediaOf(ev.Get("media"))
	return p
}

// outcome returns the note below the output of a result, or "" if the command succeeded.
// output says whether there is any.
func outcome(ev gjson.Result, output bool) string {
	switch signal, ms := ev.Get("signal").String(), ev.Get("duration_ms").Int(); {
	case ev.Get("status").Str == "timeout" && ev.Get("limit").Str == "idle":
		return fmt.Sprintf("[it was silent for too long and was ended after %d ms]", ms)
	case ev.Get("status").Str == "timeout":
		return fmt.Sprintf("[the time limit ended it after %d ms]", ms)
	case signal != "":
		return fmt.Sprintf("[ended by signal %s]", signal)
	case ev.Get("exit_code").Int() != 0:
		return fmt.Sprintf("[exit status %d]", ev.Get("exit_code").Int())
	case !output && !ev.Get("media.0").Exists():
		return "[no output]"
	}
	return ""
}
