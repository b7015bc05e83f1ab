// Package manual shows the manuals where man(1) cannot: their source, which is mdoc(7), as
// plain text. It knows the macros that these manuals use and no others.
package manual

import (
	"fmt"
	"slices"
	"strings"

	"ua/internal/common/style"
)

// width is that of a page, in columns.
const width = 78

// escapes are the escapes of roff that the manuals use (mandoc_char(7)).
var escapes = strings.NewReplacer(`\(aq`, `'`, `\(dq`, `"`, `\(em`, "--", `\e`, `\`, `\&`, "",
	`\~`, "\u00a0", `\-`, "-", `\ `, "\u00a0")

// enclosures maps the macros that put marks around the rest of their line to these marks.
// Po and Pc open and close parentheses that span several lines.
var enclosures = map[string][2]string{"Op": {"[", "]"}, "Pq": {"(", ")"}, "Po": {"(", ""},
	"Pc": {"", ")"}, "Dq": {`"`, `"`}, "Qq": {`"`, `"`}, "Ql": {"'", "'"}, "Sq": {"'", "'"}}

// callable are the other macros that may stand within a line.
var callable = strings.Fields("Ar Cm Dv Ev Ic Li No Pa Sx Sy Em Ns Ta Fl Pf Xr Nm")

// A page is a manual while it is formatted.
type page struct {
	out     strings.Builder
	para    string // the paragraph so far
	glued   bool   // its next word follows without a space
	name    string // what Nm stands for
	section string
	lists   []list // those that are open, the innermost last
	literal bool   // in a display
}

// A list is one that Bl has opened, and the number of its items.
type list struct {
	kind  string
	items int
}

// Text returns the manual with that mdoc(7) source as text.
func Text(source string) string {
	p := &page{}
	for line := range strings.Lines(source) {
		line = strings.TrimSuffix(line, "\n")
		macro, ok := strings.CutPrefix(line, ".")
		switch {
		case strings.HasPrefix(line, `.\"`):
		case ok:
			p.request(tokens(macro))
		case p.literal:
			p.para = escapes.Replace(line)
			p.end()
		default:
			for _, w := range strings.Fields(line) { // of which none is a macro
				p.add(escapes.Replace(w), closing(w))
			}
		}
	}
	p.end()
	return strings.TrimLeft(p.out.String(), "\n")
}

// end prints the paragraph, at the depth of its lists.
func (p *page) end() {
	if text := strings.TrimRight(p.para, " "); text != "" {
		indent := ""
		if p.section != "" {
			indent = strings.Repeat("    ", len(p.lists)+1)
		}
		lines := []string{text}
		if !p.literal {
			lines = style.Lines(text, width-len(indent))
		}
		for _, line := range lines {
			line = indent + strings.TrimPrefix(line, "  ")
			fmt.Fprintln(&p.out, strings.ReplaceAll(strings.TrimRight(line, " "), "\u00a0", " "))
		}
	}
	p.para, p.glued = "", false
}

// request carries out the macro at the start of a line. One without a case here is a part of
// the paragraph.
func (p *page) request(line []string) {
	if len(line) == 0 {
		return
	}
	macro, rest := line[0], line[1:]
	if macro == "Nm" && p.section == "SYNOPSIS" || slices.Contains([]string{"Sh", "Ss", "Pp", "Bd",
		"Ed", "Bl", "El", "It", "Dl", "Re"}, macro) {
		p.end()
	}
	switch macro {
	case "Dd", "Dt", "Os", "Rs", "Re":
	case "Sh", "Ss":
		p.section = ""
		p.words(rest)
		title := p.para
		p.out.WriteByte('\n')
		p.end()
		p.section = title
	case "Pp":
		p.out.WriteByte('\n')
	case "Bd", "Ed":
		p.literal = macro == "Bd"
	case "Bl":
		p.lists = append(p.lists, list{kind: strings.Join(rest[:min(1, len(rest))], "")})
	case "El":
		p.lists = p.lists[:max(0, len(p.lists)-1)]
	case "It":
		p.item(rest)
	case "Nd":
		p.add("-", false)
		p.words(rest)
	case "%T", "%R", "%U":
		p.words(append(rest, map[string]string{"%T": ",", "%R": ".", "%U": "."}[macro]))
	case "Dl":
		p.words(rest)
		p.end()
	default:
		p.words(line)
		if p.literal {
			p.end()
		}
	}
}

// item begins an item of the innermost list: with its head on a line of its own, or a mark.
func (p *page) item(head []string) {
	if len(p.lists) == 0 {
		return
	}
	l := &p.lists[len(p.lists)-1]
	l.items++
	switch l.kind {
	case "-bullet":
		p.add("*", false)
	case "-enum":
		p.add(fmt.Sprintf("%d.", l.items), false)
	default:
		outside := p.lists
		p.lists = p.lists[:len(p.lists)-1]
		p.words(head)
		p.end()
		p.lists = outside
	}
}

// add adds a word to the paragraph, with a space before it unless close or the word before it
// forbids one.
func (p *page) add(word string, close bool) {
	if p.para != "" && !p.glued && !close {
		p.para += " "
	}
	p.para += word
	p.glued = word == "(" || word == "["
}

// closing reports whether a word is punctuation that has no space before it.
func closing(word string) bool { return len(word) == 1 && strings.Contains(".,:;)]?!", word) }

// words adds the words and macros of a line.
func (p *page) words(line []string) {
	flags := false
	for i, w := range line {
		rest := line[i+1:]
		argument := len(rest) > 0 && !isMacro(rest[0])
		marks, encloses := enclosures[w]
		if isMacro(w) {
			flags = w == "Fl"
		}
		switch {
		case encloses:
			p.enclose(marks, rest)
			return
		case w == "Fl" && !argument:
			p.add("-", false)
			p.glued = len(rest) > 0
		case w == "Ns":
			p.glued = true
		case w == "Ta":
			p.add(" ", true)
		case w == "Xr" && len(rest) > 1:
			p.add(rest[0]+"("+rest[1]+")", false)
			p.words(rest[2:])
			return
		case w == "Pf" && argument:
			p.words(rest[:1])
			p.glued = true
			p.words(rest[1:])
			return
		case w == "Nm" && (!argument || closing(rest[0])):
			p.add(p.name, false)
		case w == "Ar" && !argument:
			p.add("file ...", false)
		case isMacro(w):
			if w == "Nm" && p.name == "" {
				p.name = rest[0]
			}
		case flags && w != "|" && !closing(w):
			p.add("-"+escapes.Replace(w), false)
		default:
			p.add(escapes.Replace(w), closing(w))
		}
	}
}

// enclose puts marks around the rest of a line, but for punctuation at its end.
func (p *page) enclose(marks [2]string, line []string) {
	end := len(line)
	for marks[0] != "" && marks[1] != "" && end > 0 && closing(line[end-1]) {
		end--
	}
	if marks[0] == "" { // Pc
		p.add(marks[1], true)
		p.words(line)
		return
	}
	p.add(marks[0], false)
	p.glued = true
	p.words(line[:end])
	if marks[1] != "" {
		p.add(marks[1], true)
	}
	p.words(line[end:])
}

// isMacro reports whether a word is a macro within a line.
func isMacro(word string) bool {
	_, encloses := enclosures[word]
	return encloses || slices.Contains(callable, word)
}

// tokens splits a macro line into words as roff(7) does. One in quotes is never a macro, so it
// begins with roff's escape for nothing.
func tokens(line string) (list []string) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		word, rest, _ := strings.Cut(line, " ")
		if quoted, ok := strings.CutPrefix(line, `"`); ok {
			word, rest, _ = strings.Cut(strings.ReplaceAll(quoted, `""`, `\(dq`), `"`)
			word = `\&` + word
		}
		list, line = append(list, word), rest
	}
	return list
}
