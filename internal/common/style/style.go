// Package style colours text for people. It uses eight colours (ECMA-48, SGR), and none
// off a terminal, on a terminal without colours, or if NO_COLOR is set (no-color.org).
package style

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Style colours text, or leaves it as it is.
type Style bool

// For returns the style that suits f.
func For(f *os.File) Style {
	return Style(os.Getenv("NO_COLOR") == "" && colours(os.Getenv("TERM")) &&
		term.IsTerminal(int(f.Fd())))
}

// colours reports whether terminals of that name have colours. terminfo(5) says so as
// "colors", and the names of those without follow a few patterns.
func colours(name string) bool {
	switch name {
	case "dumb", "unknown", "lpr", "sun", "minitel", "vt52":
		return false
	}
	for _, end := range []string{"-mono", ".mono", "-m"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	// DEC's, none of which had colours (VT100 to VT525).
	return len(name) < 5 || name[:2] != "vt" || !strings.Contains("12345", name[2:3])
}

// sgr returns s with the code before it and a reset after it.
func (on Style) sgr(code, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold returns s in bold type, or as it is.
func (on Style) Bold(s string) string { return on.sgr("1", s) }

// Dim returns s in faint type, or as it is.
func (on Style) Dim(s string) string { return on.sgr("2", s) }

// Red returns s in red, or as it is.
func (on Style) Red(s string) string { return on.sgr("31", s) }

// Green returns s in green, or as it is.
func (on Style) Green(s string) string { return on.sgr("32", s) }

// Yellow returns s in yellow, or as it is.
func (on Style) Yellow(s string) string { return on.sgr("33", s) }

// Cyan returns s in cyan, or as it is.
func (on Style) Cyan(s string) string { return on.sgr("36", s) }

// Mark returns text of ours in a form that the terminal can show. Under TERM=dumb, or if
// the locale has no UTF-8 (locale(7): the first of LC_ALL, LC_CTYPE and LANG that is set),
// the marks in it are ASCII. Text of a model or a command never passes here.
func Mark(text string) string {
	if !plain() {
		return text
	}
	return strings.NewReplacer("❯", ">", "▐", "|", "│", "|", "⚠", "!", "▶", ">", "✓", "+",
		"✗", "x", "→", "->", "↑", " in", "↓", " out", "─", "-", "…", "...", "·", "-",
		"⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", `|/-\`, "└", "`", "•", "*", "⏎", `\n`).Replace(text)
}

// plain reports whether only ASCII can be shown. A locale that nobody has set, as in
// cron's environment, does not count.
func plain() bool {
	return bytesIn(locale()) || os.Getenv("TERM") == "dumb"
}

// locale returns the name of the locale of characters (locale(7)), or "".
func locale() string {
	return cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
}

// An Escaper passes what is written to it to a terminal, and shows every byte that could
// drive the terminal instead of sending it: control characters as in Printable, and bytes
// that are not UTF-8 as \xNN. Newline and tab stay, and a CR before a newline is dropped.
// A character that is split over two writes is put together.
type Escaper struct {
	w    io.Writer
	rest []byte // the start of a character, or a CR
}

// NewEscaper returns an Escaper that writes to w.
func NewEscaper(w io.Writer) *Escaper { return &Escaper{w: w} }

// Write passes p on. It writes all of p, or returns an error.
func (e *Escaper) Write(p []byte) (int, error) {
	text := append(e.rest, p...)
	var out []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			if !utf8.FullRune(text) {
				break // the rest of it may come
			}
			out = fmt.Appendf(out, `\x%02x`, text[0])
		} else if r == '\r' && len(text) == 1 {
			break // it may begin the end of a line
		} else if !bytes.HasPrefix(text, []byte("\r\n")) {
			out = append(out, Printable(string(text[:n]))...)
		}
		text = text[n:]
	}
	e.rest = append([]byte(nil), text...)
	if len(out) > 0 {
		if _, err := e.w.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush writes what is left of a character that was never completed.
func (e *Escaper) Flush() error {
	var out []byte
	for _, c := range e.rest {
		out = fmt.Appendf(out, `\x%02x`, c)
	}
	e.rest = nil
	_, err := e.w.Write(out)
	return err
}
