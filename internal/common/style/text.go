package style

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Printable returns text with the control characters that could drive a terminal in
// caret notation, and bytes that are no UTF-8 as \xNN: a terminal without UTF-8 takes some
// for controls (ECMA-35). Newline and tab stay.
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

// control reports whether r may drive a terminal or reorder what a person reads:
// C0 but newline and tab, DEL and C1, and the bidirectional controls.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// FirstLine returns text's first line, at most limit characters of it, fit for a
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

// Risk returns a risk level as it stands behind a command. A journal that a command has
// written may hold anything in its place.
func (on Style) Risk(level string) string {
	text := Mark("▐ ") + FirstLine(level, 20)
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

// Dollars returns an amount in US dollars with four decimals, as "$0.0123", or ""
// for 0: a model without a known price costs an unknown amount, not none.
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

// Plural returns a number and its noun.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Seconds returns a duration as runs show it: 4.6s.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
