// Package style colours text for people: eight colours (ECMA-48 SGR), and none
// at all off a terminal, under TERM=dumb, or with NO_COLOR set (no-color.org).
package style

import (
	"os"

	"golang.org/x/term"
)

// A Style colours text, or leaves it as it is.
type Style bool

// For returns the style that fits f.
func For(f *os.File) Style {
	return Style(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		term.IsTerminal(int(f.Fd())))
}

func (on Style) sgr(code, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold, Dim, Red, Green, Yellow and Cyan return s in that style.
func (on Style) Bold(s string) string   { return on.sgr("1", s) }
func (on Style) Dim(s string) string    { return on.sgr("2", s) }
func (on Style) Red(s string) string    { return on.sgr("31", s) }
func (on Style) Green(s string) string  { return on.sgr("32", s) }
func (on Style) Yellow(s string) string { return on.sgr("33", s) }
func (on Style) Cyan(s string) string   { return on.sgr("36", s) }
