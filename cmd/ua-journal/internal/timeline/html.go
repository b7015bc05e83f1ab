package timeline

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// htmlText is the template of the page.
//
//go:embed timeline.html.tmpl
var htmlText string

// A page is what the template prints.
type page struct {
	CSS     template.CSS
	Title   string
	Picture template.HTML
	Agents  int
	Events  []listed
}

// A listed is one event in the list of a page.
type listed struct {
	At, Agent, Type, Class, Text, Line string
}

// HTML prints the lanes as one page: the picture, and every event with a field to search
// them. The page loads and sends nothing. Its policy allows no network (Content Security
// Policy Level 3).
func HTML(w io.Writer, lanes []*Lane) error {
	var svg strings.Builder
	if err := SVG(&svg, lanes); err != nil {
		return err
	}
	p := page{CSS: template.CSS(css), Picture: template.HTML(svg.String()), Agents: len(lanes)}
	if len(lanes) > 0 {
		p.Title = oneLine(lanes[0].Task, 80)
	}
	start, _ := span(lanes)
	for _, l := range lanes {
		for _, e := range l.Events {
			p.Events = append(p.Events, list(l, e, start))
		}
	}
	return template.Must(template.New("html").Parse(htmlText)).Execute(w, p)
}

// list returns an event for the list: when, who, what, its gist and the whole line.
func list(l *Lane, e Event, start time.Time) listed {
	at := ""
	if !e.Time.IsZero() {
		at = e.Time.Sub(start).Round(time.Millisecond).String()
	}
	class := ""
	// Classes are for the colours of the page; only two kinds stand out.
	switch status := event.Str(e.Line, "status"); {
	case e.Type == "error" || status == "denied" || status == "refused" ||
		event.Str(e.Line, "decision") == "deny" || gjson.GetBytes(e.Line, "exit_code").Int() != 0:
		class = "bad"
	case e.Type == "instruction" || e.Type == "message":
		class = "person"
	}
	return listed{at, oneLine(name(l), 40), oneLine(e.Type, 30), class, gist(e),
		legible(string(e.Line), 20000)}
}

// decisive returns the simple command that decided the level of a call, "" for the whole of it.
func decisive(verdict []byte) string {
	parts, risk := gjson.GetBytes(verdict, "simple").Array(), event.Str(verdict, "risk")
	for _, part := range parts {
		if len(parts) > 1 && part.Get("level").Str == risk {
			return oneLine(part.Get("text").Str, 100)
		}
	}
	return ""
}

// gist returns the part of an event that says most, in one line.
func gist(e Event) string {
	switch e.Type {
	case "response":
		text, _ := event.ResponseText(e.Line)
		return oneLine(text, 300)
	case "verdict":
		text := event.Str(e.Line, "risk") + " " + event.Str(e.Line, "decision")
		if part := decisive(e.Line); part != "" {
			text += ": " + part
		}
		return oneLine(text+": "+event.Str(e.Line, "reason"), 300)
	case "summary":
		return oneLine("exit status "+gjson.GetBytes(e.Line, "exit_code").Raw+" "+event.Str(e.Line,
			"message"), 300)
	case "tool_result":
		text := event.Str(e.Line, "output")
		if code := gjson.GetBytes(e.Line, "exit_code").Int(); code != 0 {
			text = strings.TrimSuffix(fmt.Sprintf("exit %d: %s", code, text), ": ")
		}
		return oneLine(text, 300)
	case "subagent":
		how := cmp.Or(event.Str(e.Line, "outcome"), event.Str(e.Line, "state"))
		return oneLine(how+": "+event.Str(e.Line, "task"), 300)
	case "net":
		to := fmt.Sprintf("%s:%d", event.Str(e.Line, "host"), gjson.GetBytes(e.Line, "port").Int())
		if n := gjson.GetBytes(e.Line, "count").Int(); n > 1 {
			to += fmt.Sprintf(" (%d requests)", n)
		}
		return oneLine(event.Str(e.Line, "decision")+" "+to+": "+event.Str(e.Line, "reason"), 300)
	}
	// The first of these members that an event has is its gist.
	paths := []string{"text", "input.command", "output", "message", "command", "task", "path"}
	for _, path := range paths {
		if text := event.Str(e.Line, path); text != "" {
			return oneLine(text, 300)
		}
	}
	return ""
}
