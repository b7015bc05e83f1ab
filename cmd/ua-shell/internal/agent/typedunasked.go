package agent

import (
	"regexp"

	"ua/internal/common/prog"
)

// A word of a plain command stands for itself in bash, zsh and fish alike: nothing in it is
// expanded, matched with files, taken from the history or computed.
const (
	letters = `[\pL\pN_./,:@+-]*`
	bare    = `[\pL\pN_./,@]` + letters
	quoted1 = `'[\pL\pN_./,@][\pL\pN_./,:@+ -]*'`
	quoted2 = `"[\pL\pN_./,@][\pL\pN_./,:@+ -]*"`
)

// plainCD is a change to one folder: the whole of what may be typed unasked with a word that
// names a folder. A home is ~ or what lies below it.
var plainCD = regexp.MustCompile(`^cd +(` + bare + `|` + quoted1 + `|` + quoted2 + `|~|~/` +
	letters + `) *$`)

// plainSet is an assignment of one word to a short name in lower-case letters. Shells and
// programs give no meaning to such a name that they have not set already.
var plainSet = regexp.MustCompile(`^([a-z][a-z0-9]{0,7})=(?:` + bare + `|` + quoted1 + `|` +
	quoted2 + `|) *$`)

// plain returns what the shell has to be asked about a command that may be typed unasked,
// "" for one that may not. fish has no assignments of this form.
func plain(command, shell string) (what string) {
	if m := plainCD.FindStringSubmatch(command); m != nil {
		return "cd " + m[1]
	}
	if m := plainSet.FindStringSubmatch(command); m != nil && shell != "fish" {
		return "new " + m[1]
	}
	return ""
}

// onlyLasts is a command that does nothing but change the shell. It would be for nothing in a
// sandbox beside it, where it does no harm either.
var onlyLasts = regexp.MustCompile(`^\s*(?:(?:cd|pushd|popd|export|set|unset|alias)\b` +
	`|[A-Za-z_]\w*\+?=\S*$)[^;&|\n]*$`)

// inShell returns a command of a shell's dialect as one of bash, which ua-exec runs.
func inShell(command, shell string) string {
	switch word := prog.Quoted(command); shell {
	case "zsh":
		return "exec zsh -f -c " + word
	case "fish":
		return "exec fish --no-config -c " + word
	}
	return command
}
