package conversation

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

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
