package style

import (
	"regexp"
	"strings"
	"sync"
)

// A Markdown renders text as it comes: headings and strong text in bold type, code and fenced
// code in a colour, and a dot before each item of a list. Other marks stay as they are. Only what
// may be the start of a mark waits for more, and marks that end nowhere in their line are text.
type Markdown struct {
	on     Style
	hold   string // not yet printed
	inLine bool   // the start of the line is printed
	fence  string // of the code that the text is in, "" for none
}

// NewMarkdown returns a Markdown that prints in the style; without colours it changes nothing.
func NewMarkdown(on Style) *Markdown { return &Markdown{on: on} }

// holdMax is how many bytes wait for the end of a mark.
const holdMax = 4096

// Lines that may still become a fence, a heading or an item, and those that are an item.
var (
	undecided = pattern("^[ \t]*(`*|~*|#{1,6}|[-*+])$")
	item      = pattern(`^[ \t]*[-*+] `)
	heading   = pattern(`^#{1,6} +`)
	fenceMark = pattern("^[ \t]*(```+|~~~+)")
)

// pattern returns a regular expression that is compiled when it is first asked for: few
// programs that link this package render text, and all would pay for it at each start.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Write takes the next piece of text and returns what can be printed.
func (m *Markdown) Write(text string) string {
	if !m.on {
		return text
	}
	m.hold += text
	return m.print(false)
}

// End returns what has waited. The text may go on behind a line that is not its own.
func (m *Markdown) End() string {
	out := m.print(true)
	m.inLine = false
	return out
}

// Reset begins another text.
func (m *Markdown) Reset() { m.hold, m.inLine, m.fence = "", false, "" }

// print returns as much of hold as is certain, or all at the end.
func (m *Markdown) print(end bool) string {
	var b strings.Builder
	for m.hold != "" {
		line, _, whole := strings.Cut(m.hold, "\n")
		whole = whole || end || len(m.hold) > holdMax
		var text string
		n, within := 0, m.inLine
		if within {
			text, n = m.within(line, whole)
		} else {
			text, n = m.start(line, whole)
		}
		b.WriteString(text)
		if m.hold = m.hold[n:]; strings.HasPrefix(m.hold, "\n") && n == len(line) {
			b.WriteByte('\n')
			m.hold, m.inLine = m.hold[1:], false
		} else if n == 0 && m.inLine == within {
			break
		}
	}
	return b.String()
}

// start returns what stands for the first n bytes of a line. Without all of the line it may not
// be known yet.
func (m *Markdown) start(line string, whole bool) (text string, n int) {
	mark := strings.TrimLeft(fenceMark().FindString(line), " \t")
	if !whole && (undecided().MatchString(line) || mark != "" || heading().MatchString(line) ||
		strings.Trim(line, " \t") == "") {
		return "", 0
	}
	m.inLine = true
	switch {
	case m.fence != "" && strings.HasPrefix(mark, m.fence) && strings.TrimSpace(line) == mark:
		m.fence = ""
		return m.on.Dim(line), len(line)
	case m.fence != "":
		return "", 0
	case mark != "":
		m.fence = mark
		return m.on.Dim(line), len(line)
	case heading().MatchString(line):
		return m.on.Bold(strings.ReplaceAll(heading().ReplaceAllString(line, ""), "**", "")), len(line)
	case item().MatchString(line):
		n = len(item().FindString(line))
		return line[:n-2] + Mark("• "), n
	}
	return "", 0
}

// within returns what stands for the next n bytes of a line.
func (m *Markdown) within(line string, whole bool) (text string, n int) {
	if m.fence != "" {
		return m.on.Cyan(line), len(line)
	}
	at := strings.IndexAny(line, "`*")
	switch {
	case at < 0:
		return line, len(line)
	case at > 0:
		return line[:at], at
	}
	run := len(line) - len(strings.TrimLeft(line, line[:1]))
	mark, rest := line[:run], line[run:]
	if rest == "" && !whole {
		return "", 0
	}
	if mark == "**" && strings.HasPrefix(rest, " ") || line[0] == '*' && run != 2 {
		return mark, run
	}
	for size := 0; ; {
		i := strings.Index(rest[size:], mark)
		if i < 0 && whole {
			return mark, run // it ends nowhere
		} else if i < 0 {
			return "", 0
		}
		size += i
		ends := len(rest[size:]) - len(strings.TrimLeft(rest[size:], mark[:1]))
		if size+ends == len(rest) && !whole {
			return "", 0 // the mark may go on
		}
		if inner := rest[:size]; ends == run && inner != "" &&
			(mark != "**" || !strings.HasSuffix(inner, " ")) {
			if mark == "**" {
				return m.on.Bold(inner), run + size + ends
			}
			return m.on.Cyan(inner), run + size + ends
		}
		size += ends
	}
}
