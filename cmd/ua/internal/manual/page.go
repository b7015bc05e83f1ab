// Package manual shows the manuals where man(1) cannot: their source, which is mdoc(7), as
// plain text.
package manual

import (
	"regexp"
	"strings"

	"ua/internal/common/style"
)

// width is that of a page, in columns.
const width = 78

// escapes are the escapes of roff that the manuals use (mandoc_char(7)).
var escapes = strings.NewReplacer(`\(aq`, `'`, `\(dq`, `"`, `\(em`, "--", `\e`, `\`, `\&`, "",
	`\~`, " ", `\-`, "-", `\ `, " ")

// gap is the space in front of punctuation, which stands as a word of its own behind macros.
var (
	macro     = regexp.MustCompile(`^([A-Z][a-z]|%[A-Z])$`)
	reference = regexp.MustCompile(`\bXr (\S+) (\d)`)
	option    = regexp.MustCompile(`\bFl (Fl )?([a-zA-Z0-9])`)
	gap       = regexp.MustCompile(` ([.,:;)\]?!])( |$)`)
)

// Text returns the manual with that mdoc(7) source as text: its words, in paragraphs below the
// titles of their sections. What macros only mark, as an argument or a name, is not marked.
func Text(source string) string {
	var out strings.Builder
	para, name, title, literal := "", "", "", false
	end := func() {
		for _, line := range style.Lines(gap.ReplaceAllString(strings.TrimSpace(para), "$1$2"),
			width-4) {
			if line != "" {
				out.WriteString("    " + strings.TrimSpace(line) + "\n")
			}
		}
		para = ""
	}
	for line := range strings.Lines(source) {
		line = strings.TrimSuffix(line, "\n")
		request, isRequest := strings.CutPrefix(line, ".")
		kind, rest, _ := strings.Cut(request, " ")
		switch {
		case literal && line != ".Ed":
			out.WriteString("    " + escapes.Replace(line) + "\n")
		case !isRequest:
			para += " " + escapes.Replace(line)
		case kind == "Sh" || kind == "Ss":
			end()
			title = strings.ReplaceAll(rest, `"`, "")
			out.WriteString("\n" + escapes.Replace(title) + "\n")
		case kind == "Pp" || kind == "It" || kind == "El" || kind == "Bd" || kind == "Ed":
			end()
			literal = kind == "Bd"
			if kind != "Ed" {
				out.WriteString("\n")
			}
			if kind == "It" {
				para = words(rest, name)
				end()
			}
		case kind == "Dd" || kind == "Dt" || kind == "Os" || kind == "Bl" || kind == `\"`:
		case kind == "Nm" && title == "SYNOPSIS":
			end()
			para = words(request, name)
		case kind == "Nm" && name == "":
			name = rest
			para = rest + " -"
		default:
			para += " " + words(request, name)
		}
	}
	end()
	return strings.TrimLeft(out.String(), "\n")
}

// words returns the words of a line of macros; name is what Nm stands for.
func words(line, name string) string {
	if optional, ok := strings.CutPrefix(line, "Op "); ok {
		return "[" + words(optional, name) + "]"
	}
	line = reference.ReplaceAllString(line, "$1($2)")
	line = option.ReplaceAllString(line, "-$1$2")
	line = strings.NewReplacer("-Fl ", "--", " Ns ", "", `"`, "").Replace(line)
	var list []string
	for _, w := range strings.Fields(line) {
		switch {
		case w == "Fl":
			list = append(list, "-")
		case w == "Nm" && !strings.Contains(line, "Nm "+name):
			list = append(list, name)
		case !macro.MatchString(w):
			list = append(list, escapes.Replace(w))
		}
	}
	return strings.Join(list, " ")
}
