// Package manual shows the manuals where man(1) cannot. It formats their source, which is
// mdoc(7), as plain text. It knows the macros that these manuals use and no others.
package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The width of a page and its indentations, in columns.
const (
	width  = 78
	indent = 5 // of a section's text
	deeper = 6 // of a display, and of an item's text behind its mark
)

// A page is a manual while it is formatted.
type page struct {
	out   strings.Builder
	para  text // what is not filled yet
	name  string
	at    int    // columns of indentation
	tag   string // stands before the next paragraph, in its indentation
	lists []list // those that are open, the innermost last
	shown bool   // in a literal display
	depth []int  // indentation outside of each display
	usage bool   // in the synopsis, where each Nm begins a line
}

// A list is one that Bl has opened.
type list struct {
	kind    string
	compact bool
	n       int
	at      int        // indentation of marks
	outside int        // of the text around it
	rows    [][]string // of a table
}

// Text returns the manual with that mdoc(7) source as text for a terminal of 80 columns.
func Text(source string) string {
	p := &page{at: indent}
	for line := range strings.Lines(source) {
		p.line(strings.TrimSuffix(line, "\n"))
	}
	p.flush()
	return strings.TrimLeft(p.out.String(), "\n")
}

// line takes in one line of the source: a comment, text, or a macro after a dot.
func (p *page) line(line string) {
	macro, ok := strings.CutPrefix(line, ".")
	switch {
	case strings.HasPrefix(line, `.\"`):
	case !ok && p.shown:
		p.print(escapes.Replace(line))
	case !ok:
		for _, w := range strings.Fields(escapes.Replace(line)) {
			p.para.word(w)
		}
	default:
		p.request(tokens(macro))
	}
}

// print writes a line as it is, at the current indentation.
func (p *page) print(line string) {
	fmt.Fprintf(&p.out, "%s%s\n", strings.Repeat(" ", max(p.at, 0)), line)
}

// gap writes an empty line, but never two in a row.
func (p *page) gap() {
	if s := p.out.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		p.out.WriteByte('\n')
	}
}

// flush breaks the words of the paragraph into lines. A tag stands before the first line,
// or alone above it if it is too long.
func (p *page) flush() {
	// Only blanks separate words: a no-break space keeps two together.
	words := strings.FieldsFunc(p.para.String(), func(r rune) bool { return r == ' ' })
	p.para = text{}
	at := strings.Repeat(" ", p.at)
	line := at
	if p.tag != "" {
		outside := p.lists[len(p.lists)-1].at
		line = strings.Repeat(" ", outside) + p.tag
		if n := utf8.RuneCountInString(line); n < p.at && len(words) > 0 {
			line += strings.Repeat(" ", p.at-n)
		} else {
			p.out.WriteString(line + "\n")
			line = at
		}
		p.tag = ""
	}
	empty := true
	for _, w := range words {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			p.out.WriteString(line + "\n")
			line, empty = at, true
			if p.usage {
				line += strings.Repeat(" ", deeper)
			}
		}
		if !empty {
			line += " "
		}
		line, empty = line+strings.ReplaceAll(w, "\u00a0", " "), false
	}
	if !empty {
		p.out.WriteString(line + "\n")
	}
}

// request carries out the macro at the start of a line. A macro without a case here
// prints its arguments within the paragraph.
func (p *page) request(line []token) {
	if len(line) == 0 {
		return
	}
	rest := line[1:]
	switch line[0].text {
	case "Dd", "Dt", "Os", "Rs", "Re":
		// References (Rs ... Re) are printed by %T and %R; the titles Dd, Dt and Os are
		// not shown.
		if line[0].text == "Re" {
			p.flush()
		}
	case "Sh", "Ss":
		p.heading(line[0].text, join(rest))
	case "Pp":
		p.flush()
		p.gap()
	case "Nd":
		p.para.word("-")
		p.para.macro(rest, p.name)
	case "%T", "%R":
		p.para.macro(rest, p.name)
		p.para.word(map[string]string{"%T": ",", "%R": "."}[line[0].text])
	case "Dl":
		p.flush()
		p.at += deeper
		p.para.macro(rest, p.name)
		p.flush()
		p.at -= deeper
	case "Bd", "Ed":
		p.display(line[0].text, rest)
	case "Bl":
		p.begin(rest)
	case "El":
		p.end()
	case "It":
		p.item(rest)
	case "Nm":
		if p.usage {
			p.flush()
		}
		// The first Nm with a name sets what later ones stand for.
		if p.name == "" && len(rest) > 0 {
			p.name = rest[0].text
		}
		p.inline(line)
	default:
		p.inline(line)
	}
}

// inline adds the words of a macro line to the paragraph, or prints them at once in a
// display.
func (p *page) inline(line []token) {
	if !p.shown {
		p.para.macro(line, p.name)
		return
	}
	t := &text{}
	t.macro(line, p.name)
	p.print(t.String())
}

// join returns the arguments of a macro as text.
func join(list []token) string {
	var words []string
	for _, w := range list {
		words = append(words, w.text)
	}
	return escapes.Replace(strings.Join(words, " "))
}

// heading prints the title of a section (Sh) or a subsection (Ss).
func (p *page) heading(macro, title string) {
	p.flush()
	p.gap()
	p.at = 0
	if macro == "Ss" {
		p.at = 3
	}
	p.print(title)
	p.at, p.usage = indent, title == "SYNOPSIS"
}

// display begins (Bd) or ends (Ed) lines that are not filled.
func (p *page) display(macro string, args []token) {
	p.flush()
	if macro == "Ed" && len(p.depth) == 0 {
		return
	}
	if macro == "Ed" {
		p.at, p.shown = p.depth[len(p.depth)-1], false
		p.depth = p.depth[:len(p.depth)-1]
		return
	}
	p.gap()
	p.depth, p.shown = append(p.depth, p.at), true
	if strings.Contains(join(args), "-offset indent") {
		p.at += deeper
	}
}
