package main

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// quoted is s as a JSON string.
func quoted(s string) string { return string(event.AppendString(nil, s)) }

// with is the JSON string text with s behind it.
func with(text, s string) string {
	if s == "" {
		return text
	}
	q := quoted(s)
	return text[:len(text)-1] + q[1:]
}

// userParts is what an instruction, a message, a command of the user or a
// checkpoint says to the model.
func userParts(ev gjson.Result) (parts []part) {
	text := ev.Get("text")
	say := func(raw string) {
		if strings.TrimSpace(gjson.Parse(raw).Str) != "" {
			parts = append(parts, part{kind: "text", text: raw})
		}
	}
	switch ev.Get("type").Str {
	case "message":
		if from := ev.Get("from").Str; from != "" && from != "user" && text.Str != "" {
			say(quoted("[message from " + from + "]\n" + text.Str))
			break
		}
		say(text.Raw)
	case "shell_command":
		say(quoted(shellCommand(ev)))
	default:
		say(text.Raw)
	}
	return append(parts, mediaParts(ev.Get("attachments"))...)
}

// shellCommand shows what the user ran by hand as a terminal would.
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

// resultPart is the result of a call, or the error that answers it.
func resultPart(ev gjson.Result) part {
	p := part{kind: "result", id: rawID(ev.Get("call_id"))}
	if ev.Get("type").Str == "error" {
		p.bad = true
		p.text = with(quoted("error: "), ev.Get("message").Str)
		return p
	}
	// No provider takes a text of blanks alone.
	if p.text = ev.Get("output").Raw; strings.TrimSpace(ev.Get("output").Str) == "" {
		p.text = `""`
	}
	status := ev.Get("status").Str
	p.bad = status != "" && status != "run" && status != "background"
	p.text = with(p.text, outcome(ev, len(p.text) > 2, strings.HasSuffix(p.text, `\n"`)))
	p.media = media(ev.Get("media"))
	return p
}

// outcome is what is said of a result below its output.
func outcome(ev gjson.Result, output, ended bool) string {
	text := ""
	switch signal, ms := ev.Get("signal").String(), ev.Get("duration_ms").Int(); {
	case ev.Get("status").Str == "timeout" && ev.Get("limit").Str == "idle":
		text = fmt.Sprintf("[it was silent for too long and was ended after %d ms]", ms)
	case ev.Get("status").Str == "timeout":
		text = fmt.Sprintf("[the time limit ended it after %d ms]", ms)
	case signal != "":
		text = fmt.Sprintf("[ended by signal %s]", signal)
	case ev.Get("exit_code").Int() != 0:
		text = fmt.Sprintf("[exit status %d]", ev.Get("exit_code").Int())
	case !output && !ev.Get("media.0").Exists():
		return "[no output]"
	}
	if output && !ended && text != "" {
		return "\n" + text
	}
	return text
}

// A medium is an image, a document or a sound.
type medium struct {
	typ  string // media type
	name string
	data string // base64
}

// media reads the member "media" of a tool_result or "attachments" of an
// instruction.
func media(list gjson.Result) (all []medium) {
	for _, m := range list.Array() {
		all = append(all, medium{m.Get("media_type").Str, m.Get("name").Str, m.Get("data").Str})
	}
	return all
}

// mediaParts is attachments as parts: text as text, the rest as media.
func mediaParts(list gjson.Result) (parts []part) {
	for _, m := range list.Array() {
		name := m.Get("name").Str
		if text := m.Get("text"); text.Type == gjson.String {
			parts = append(parts, part{kind: "text", text: with(with(quoted("[attached: "+name+"]\n"), text.Str), "\n[end of "+name+"]")})
			continue
		}
		parts = append(parts, part{kind: "media", media: []medium{{m.Get("media_type").Str, name, m.Get("data").Str}}})
	}
	return parts
}

// apology is said in place of a medium that the model can't be given.
func (m medium) apology() string {
	what := m.typ
	if m.name != "" {
		what = m.name + " (" + m.typ + ")"
	}
	if m.data == "" {
		return quoted("[" + what + " is not at hand]")
	}
	return quoted("[" + what + " can't be shown to this model]")
}

func (m medium) image() bool {
	switch m.typ {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return m.data != ""
	}
	return false
}

func (m medium) pdf() bool { return m.typ == "application/pdf" && m.data != "" }

func (m medium) wav() bool { return (m.typ == "audio/wav" || m.typ == "audio/x-wav") && m.data != "" }
