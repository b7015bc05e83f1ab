package style

import (
	"cmp"
	"os"
	"strings"
)

// Mark returns text of ours in a form that the terminal can show. Under TERM=dumb, or if
// the locale has no UTF-8 (locale(7): the first of LC_ALL, LC_CTYPE and LANG that is set),
// the marks in it are ASCII. Text of a model or a command never passes here.
func Mark(text string) string {
	if !plain() {
		return text
	}
	return strings.NewReplacer("❯", ">", "▐", "|", "│", "|", "⚠", "!", "▶", ">", "✓", "+",
		"✗", "x", "→", "->", "↑", " in", "↓", " out", "─", "-", "…", "...", "·", "-",
		"⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", `|/-\`, "└", "`", "⏎", `\n`).Replace(text)
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
