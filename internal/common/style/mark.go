package style

import (
	"cmp"
	"os"
	"strings"
)

// Mark returns text of ours as the terminal can show it. Under TERM=dumb, or when the
// locale is C or POSIX (locale(7): the first of LC_ALL, LC_CTYPE and LANG that is
// set), its marks are ASCII. Text of a model or a command never passes here: what
// it says is shown as it is.
func Mark(text string) string {
	if !plain() {
		return text
	}
	return strings.NewReplacer("❯", ">", "▐", "|", "⚠", "!", "▶", ">", "✓", "+", "✗", "x",
		"→",
		"->", "↑", " in", "↓", " out", "─", "-", "…", "...", "·", "-",
		"⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", `|/-\`, "└", "`", "⏎", `\n`).Replace(text)
}

// plain reports whether only ASCII can be shown. A locale that nobody has set, as in
// cron's environment, says nothing of who reads.
func plain() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	return locale == "C" || locale == "POSIX" || os.Getenv("TERM") == "dumb"
}
