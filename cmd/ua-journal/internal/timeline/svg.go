package timeline

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ua/internal/common/style"
)

// The measures of the picture in pixels.
const (
	width     = 1200
	nameWidth = 210 // of the column with the agents' names
	laneTall  = 40
	barTall   = 12
	headTall  = 64 // title and axis
	footTall  = 44 // the legend
	barMin    = 2
)

// css is the style of picture and page.
//
//go:embed timeline.css
var css string

// svgText is the template of the picture.
//
//go:embed timeline.svg.tmpl
var svgText string

// A picture is what the template draws.
type picture struct {
	CSS            template.CSS
	Width, Height  int
	Title, Summary string
	Left, Right    int
	Top, Bottom    int
	Ticks          []tick
	Rows           []row
	Legend         []legendItem
}

// A tick is a mark on the axis of time.
type tick struct {
	X     float64
	Label string
}

// A row is one agent.
type row struct {
	Y, NameX   int
	NameW      int // the name is cut there, however wide its letters are
	Name, Note string
	Bars       []rect
}

// A rect is one bar.
type rect struct {
	X, Y, W float64
	H       int
	Class   string
	Title   string
}

// A legendItem is a part of the legend.
type legendItem struct {
	X     int
	Class string
	Text  string
}

// SVG draws the lanes as one picture that refers to nothing else (SVG 1.1).
func SVG(w io.Writer, lanes []*Lane) error {
	return template.Must(template.New("svg").Parse(svgText)).Execute(w, draw(lanes))
}

// draw computes the picture. Every length comes from the time axis, which spans all
// lanes.
func draw(lanes []*Lane) picture {
	start, end := span(lanes)
	total := max(end.Sub(start), time.Millisecond)
	p := picture{CSS: template.CSS(css), Width: width, Left: nameWidth, Right: width - 20,
		Top:    headTall,
		Bottom: headTall + laneTall*len(lanes)}
	p.Height = p.Bottom + footTall
	x := func(t time.Time) float64 {
		// A clock that was set back may have a bar begin before all lines.
		return float64(p.Left) + float64(max(t.Sub(start), 0))/float64(total)*float64(p.Right-p.Left)
	}
	if len(lanes) > 0 {
		p.Title, p.Summary = oneLine(lanes[0].Task, 120), summary(lanes, total)
	}
	step := tickStep(total)
	for n := range total/step + 1 { // at+step may be more than a Duration holds
		at := n * step
		p.Ticks = append(p.Ticks, tick{x(start.Add(at)), at.String()})
	}
	for i, l := range lanes {
		r := row{Y: p.Top + i*laneTall, NameX: 12 + 12*min(l.Depth, 8)}
		r.NameW = p.Left - r.NameX - 4
		r.Name, r.Note = oneLine(name(l), 26-2*min(l.Depth, 8)), oneLine(l.Task,
			34-2*min(l.Depth, 8))
		for _, b := range l.Bars {
			from := x(b.Start)
			// A bar that is too short to see keeps the least width.
			bar := rect{X: from, Y: float64(r.Y + 6), W: max(x(b.End)-from, barMin), H: barTall,
				Class: class(b), Title: title(b)}
			if b.Outcome == "denied" {
				bar.W = max(bar.W, 3*barMin) // it took no time
			}
			if b.Kind == "command" {
				bar.Y += barTall + 4
			}
			r.Bars = append(r.Bars, bar)
		}
		slices.SortStableFunc(r.Bars, func(a, b rect) int { // drawn last, no bar hides it
			return cmp.Compare(strings.Count(a.Class, " "), strings.Count(b.Class, " "))
		})
		p.Rows = append(p.Rows, r)
	}
	for i, text := range []string{"model", "read_only", "build_test", "write", "destructive",
		"network", "privileged", "denied", "failed"} {
		p.Legend = append(p.Legend, legendItem{p.Left + i*108, "bar " + text, text})
	}
	return p
}

// name returns the name of a lane: for a subagent its agent and the last part of its ID,
// as other verbs show it.
func name(l *Lane) string {
	id := l.ID
	if i := strings.LastIndexByte(id, '-'); l.Depth > 0 && i >= 0 {
		id = id[i+1:]
	}
	return strings.TrimSpace(l.Agent + " " + id)
}

// summary returns the totals of all lanes.
func summary(lanes []*Lane, total time.Duration) string {
	var models, commands, in, out int64
	var cost float64
	for _, l := range lanes {
		in, out, cost = in+l.TokensIn, out+l.TokensOut, cost+l.CostUSD
		for _, b := range l.Bars {
			if b.Kind == "model" {
				models++
			} else {
				commands++
			}
		}
	}
	facts := []string{style.Plural(int64(len(lanes)), "agent"), style.Plural(models, "model call"),
		style.Plural(commands, "command"), style.Seconds(total),
		style.Count(in) + "↑ " + style.Count(out) + "↓"}
	if cost := style.Dollars(cost); cost != "" {
		facts = append(facts, cost)
	}
	return strings.Join(facts, " · ")
}

// class returns the style classes of a bar: its level, and how it ended. Only known
// levels pass, since a journal can hold anything.
func class(b Bar) string {
	c := "bar model"
	if b.Kind == "command" {
		c = "bar unjudged"
		switch b.Level { // a journal may hold anything
		case "read_only", "build_test", "write", "destructive", "network", "privileged":
			c = "bar " + b.Level
		}
	}
	if b.Outcome != "done" {
		c += " " + b.Outcome
	}
	return c
}

// title returns what a pointer over a bar shows.
func title(b Bar) string {
	text := fmt.Sprintf("%s  %s", b.End.Sub(b.Start).Round(time.Millisecond), legible(b.Label, 400))
	if b.Level != "" {
		text += "\n" + oneLine(b.Level, 20)
	}
	if b.Outcome != "done" {
		text += "\n" + b.Outcome
	}
	if b.Note != "" {
		text += "\n" + oneLine(b.Note, 200)
	}
	return text
}

// tickStep returns a round step with which an axis has at most eleven ticks.
func tickStep(total time.Duration) time.Duration {
	for unit := time.Millisecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if total/(n*unit) <= 10 {
				return n * unit
			}
		}
	}
}

// legible returns text that an XML document may contain (XML 1.0, production Char), with
// control characters shown and at most limit characters long.
func legible(text string, limit int) string {
	text = style.Printable(strings.ToValidUTF8(text, "\ufffd"))
	text = strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// oneLine returns legible text without line breaks.
func oneLine(text string, limit int) string {
	return legible(strings.Join(strings.Fields(text), " "), limit)
}
