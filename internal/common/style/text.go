package style

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Printable returns text with control characters that could drive a terminal in caret
// notation, with characters that nobody sees as codes, and with bytes that are not UTF-8 as
// \xNN: a terminal without UTF-8 takes some of those for controls (ECMA-35). Newline and tab
// stay.
func Printable(text string) string {
	if strings.IndexFunc(text, control) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !control(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteByte('^')
			b.WriteRune(r + 0x40)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// Visible returns text that cannot deceive on a terminal. Characters that show nothing, that
// look like a space or change the writing direction are shown as codes.
func Visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && !unseen(r) && !control(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// unseen reports whether a character shows nothing although it counts as a letter, mark or
// symbol: those that Unicode has a program ignore if it does not know them, and the empty
// pattern of Braille.
func unseen(r rune) bool {
	return r >= 0x34f && (r == 0x2800 ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}

// control reports whether r may drive a terminal or deceive who reads it: C0 except
// newline and tab, DEL and C1, what is hidden, and what has a byte of C1 where bytes count.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || Hidden(r) ||
		r >= 0xa0 && eightBit() && hasC1(r)
}

// eightBit reports whether the locale says that the terminal takes bytes, not UTF-8.
var eightBit = sync.OnceValue(func() bool { return bytesIn(locale()) })

// bytesIn reports whether a locale has another encoding than UTF-8. Without a name of an
// encoding it is an older one (locale(7)).
func bytesIn(locale string) bool {
	name := strings.ToLower(locale)
	return name != "" && !strings.Contains(name, "utf-8") && !strings.Contains(name, "utf8")
}

// hasC1 reports whether the UTF-8 of a character holds a byte that such a terminal takes for
// a control, as that of ě holds CSI.
func hasC1(r rune) bool {
	for _, c := range utf8.AppendRune(nil, r) {
		if c >= 0x80 && c < 0xa0 {
			return true
		}
	}
	return false
}

// Hidden reports whether a character shows nothing, ends a line only for some readers, or
// changes the direction of text around it: zero-width, bidirectional and tag characters,
// and variation selectors that no script needs. Joiners and the selectors of emoji are
// not hidden.
func Hidden(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad || r == 0x61c || r == 0x180e || r == 0xfeff || r == 0x3164 || r == 0xffa0:
		return true
	case r == 0x200b || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 &&
		r <= 0x206f:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff || r >= 0xfff9 && r <= 0xfffb
}

// Cut returns s, or its start and an ellipsis if it is longer than n bytes. It cuts no
// character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + Mark("…")
}

// OneLine returns text as one line of at most limit bytes that is safe on a terminal.
func OneLine(text string, limit int) string {
	return Cut(Visible(strings.ReplaceAll(text, "\n", Mark("⏎"))), limit)
}

// FirstLine returns the first line of text, at most limit characters of it, safe for a
// terminal.
func FirstLine(text string, limit int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > limit {
		line, more = string(runes[:limit]), true
	}
	if more {
		line += Mark(" …")
	}
	return Printable(line)
}

// Risk returns a risk level in the form that is shown after a command. A command may have
// written anything in its place into a journal.
func (on Style) Risk(level string) string {
	text := Mark("▐ ") + FirstLine(level, 20)
	if plain() { // where the bar would read as a pipe
		text = "[" + FirstLine(level, 20) + "]"
	}
	switch level {
	case "read_only":
		return on.Dim(text)
	case "build_test", "write":
		return on.Green(text)
	case "destructive", "network":
		return on.Yellow(text)
	}
	return on.Red(text)
}

// Dollars returns an amount in US dollars with four decimals, such as "$0.0123". It is ""
// for 0: a model without a known price costs an unknown amount, not nothing.
func Dollars(usd float64) string {
	if usd == 0 {
		return ""
	}
	return "$" + strconv.FormatFloat(usd, 'f', 4, 64)
}

// Count returns n in few characters: 950, 2.4k, 13k, 1.2M, 78.1G.
func Count(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 9950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 999500:
		return fmt.Sprintf("%.0fk", float64(n)/1000)
	}
	if n < 999_500_000 {
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fG", float64(n)/1e9)
}

// Plural returns a number and its noun, with an s unless the number is 1.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Seconds returns a duration in the form that runs show: 4.6s, and 12m51s from 100 seconds on.
func Seconds(d time.Duration) string {
	if d >= 100*time.Second {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
