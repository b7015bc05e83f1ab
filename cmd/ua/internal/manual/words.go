package manual

import "strings"

// escapes are the escapes of roff that the manuals use (mandoc_char(7)). \~ becomes a
// space at which no line is broken until the text is filled.
var escapes = strings.NewReplacer(`\(aq`, `'`, `\(dq`, `"`, `\(em`, "--", `\e`, `\`, `\&`, "",
	`\~`, "\u00a0", `\-`, "-", `\ `, "\u00a0")

// enclosures maps the macros that put marks around the rest of their line to these marks.
var enclosures = map[string][2]string{"Op": {"[", "]"}, "Pq": {"(", ")"}, "Po": {"(", ""},
	"Pc": {"", ")"}, "Dq": {`"`, `"`}, "Qq": {`"`, `"`}, "Ql": {"'", "'"}, "Sq": {"'", "'"}}

// plain holds the macros whose arguments are printed unchanged, since plain text has no
// fonts.
var plain = map[string]bool{"Ar": true, "Cm": true, "Dv": true, "Ev": true, "Ic": true, "Li": true,
	"No": true, "Pa": true, "Sx": true, "Sy": true, "Em": true}

// A text is a series of words with the spaces that belong between them.
type text struct {
	b    strings.Builder
	glue bool // no space before the next word
}

// String returns the words so far.
func (t *text) String() string { return t.b.String() }

// word adds a word. Closing punctuation follows the word before it without a space.
func (t *text) word(w string) { t.add(w, closing(w)) }

// raw adds a word that contains roff's escapes. Punctuation after \& counts as a word.
func (t *text) raw(w string) { t.add(escapes.Replace(w), closing(w)) }

// add adds w, and puts a space before it unless close or the word before forbids one.
func (t *text) add(w string, close bool) {
	if t.b.Len() > 0 && !t.glue && !close {
		t.b.WriteByte(' ')
	}
	t.b.WriteString(w)
	t.glue = w == "(" || w == "["
}

// closing reports whether w is punctuation that mdoc(7) prints without a space before it.
func closing(w string) bool {
	return len(w) == 1 && strings.Contains(".,:;)]?!", w)
}

// A token is one word of a macro line. A quoted token is never a macro.
type token struct {
	text   string
	quoted bool
}

// tokens splits a macro line into words as roff(7) does.
func tokens(line string) (list []token) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			list, line = append(list, token{word, false}), rest
			continue
		}
		var b strings.Builder
		rest := line[1:]
		for rest != "" {
			before, after, _ := strings.Cut(rest, `"`)
			b.WriteString(before)
			rest = after
			if !strings.HasPrefix(rest, `"`) {
				break
			}
			b.WriteByte('"') // "" is a quote within quotes
			rest = rest[1:]
		}
		list, line = append(list, token{b.String(), true}), rest
	}
	return list
}

// macro adds what the tokens of a macro line print. name is what Nm stands for without an
// argument.
func (t *text) macro(list []token, name string) {
	for i := 0; i < len(list); i++ {
		w := list[i]
		// next reports whether the macro at i has an argument, and not another macro,
		// behind it.
		next := func() bool { // has the macro an argument here?
			return i+1 < len(list) && (list[i+1].quoted || !known(list[i+1].text))
		}
		switch _, encloses := enclosures[w.text]; {
		case w.quoted || !known(w.text):
			t.raw(w.text)
		case encloses:
			t.enclose(w.text, list[i+1:], name)
			return
		case w.text == "Ns":
			t.glue = true
		case w.text == "Ta":
			t.word("\t")
			t.glue = true
		case w.text == "Fl":
			i += t.flags(list[i+1:])
		case w.text == "Pf":
			if next() {
				i++
				t.raw(list[i].text)
				t.glue = true
			}
		case w.text == "Xr":
			if i+2 < len(list) {
				t.word(list[i+1].text + "(" + list[i+2].text + ")")
				i += 2
			}
		case w.text == "Nm" && (!next() || closing(list[i+1].text)):
			t.word(name)
		case w.text == "Ar" && !next():
			t.word("file ...")
		}
	}
}

// enclose puts the marks of a macro around the rest of a line. Punctuation at the end
// follows the closing mark.
func (t *text) enclose(macro string, list []token, name string) {
	end := len(list)
	for end > 0 && !list[end-1].quoted && closing(list[end-1].text) && macro != "Po" &&
		macro != "Pc" {
		end--
	}
	inner := &text{}
	inner.macro(list[:end], name)
	marks := enclosures[macro]
	// Po and Pc open and close parentheses that span several lines of the source.
	if macro == "Pc" {
		t.glue = true
		t.b.WriteString(marks[1])
	} else {
		t.word(marks[0] + inner.String() + marks[1])
	}
	t.glue = macro == "Po" && inner.String() == "" || inner.glue && macro != "Pc"
	if macro == "Pc" {
		t.glue = false
		t.macro(list, name)
		return
	}
	t.macro(list[end:], name)
}

// flags adds the options after Fl, each with its dash, and returns how many tokens these
// were.
func (t *text) flags(list []token) (n int) {
	for n < len(list) && (list[n].quoted || !known(list[n].text)) {
		if w := escapes.Replace(list[n].text); closing(w) || w == "|" {
			t.word(w)
		} else {
			t.word("-" + w)
		}
		n++
	}
	if n == 0 { // Fl Fl name is --name
		t.word("-")
		t.glue = len(list) > 0
	}
	return n
}

// known reports whether a word is a macro within a line.
func known(w string) bool {
	_, encloses := enclosures[w]
	switch w {
	case "Ns", "Ta", "Fl", "Pf", "Xr", "Nm":
		return true
	}
	return encloses || plain[w]
}
