// Package style colours text for people. It uses eight colours (ECMA-48, SGR), and none
// off a terminal, on a terminal without colours, or if NO_COLOR is set (no-color.org).
package style

import (
	"cmp"
	"os"
	"strings"

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
