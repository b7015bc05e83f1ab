package program

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// help is the rule for a command that only asks what a program is and can do: its
// version, its help, and the lists that are built into it.
func (a *argv) help() bool {
	n := len(a.words)
	if n == 0 || n > 4 || a.floor() > verdict.ReadOnly || // the project's own program runs
		a.s.Overlay.Find(a.name) != nil {
		return false
	}
	last := a.words[n-1].Text
	switch {
	case n == 1 && a.asksAlone(last):
	case !versionFlag(last) && !(last == "-h" && n > 1 && a.hasSubs() && !a.has("-h")),
		n > 1 && !a.hasSubs() && !a.takesNames(), !plainWords(a.words[:n-1]),
		n > 2 && !match.InList(" gh gcloud az aws nomad ", a.name) &&
			slices.ContainsFunc(a.words[:n-2], startsAnother):
		return false
	}
	a.p.Add(judgement.ReadsFiles, a.name+" "+last, "prints a version or help")
	return true
}

// startsAnother reports whether a sub-command is one behind which another program's name stands,
// which is fetched and run before it says anything: npm exec NAME --help, docker run NAME -h.
func startsAnother(wd shell.Word) bool {
	return match.InList(" run exec x dlx create init tool shell start e c ", wd.Text)
}

// takesNames reports whether the row says of no operand that it is code, a program or what a
// program is given: then words before --help are sub-commands that the table does not know.
func (a *argv) takesNames() bool {
	return a.row.Reader == "" &&
		a.row.Facts&(table.FactEnds|table.FactCode|table.FactScript|table.FactText) == 0 &&
		a.row.Level != verdict.Privileged && a.row.Level != verdict.BuildTest &&
		!slices.ContainsFunc(a.row.Slots, func(s table.Slot) bool {
			return s.What != table.IsNothing && s.What != table.IsRead && s.What != table.IsList &&
				s.What != table.IsText
		})
}

// plainWords reports whether the words are names of sub-commands, and no flags or paths.
func plainWords(words []shell.Word) bool {
	return !slices.ContainsFunc(words, func(wd shell.Word) bool {
		return strings.Trim(wd.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"+
			"_:0123456789-") != "" ||
			strings.HasPrefix(wd.Text, "-") || !wd.Known()
	})
}

// asksAlone reports whether the word, as the only one, asks for a version or for help. A
// program of sub-commands has nothing else to do with -v, -V or the word version. What the row
// says of a flag comes first: ctest -V runs the tests and says more of them.
func (a *argv) asksAlone(text string) bool {
	subs := a.hasSubs()
	switch text {
	case "-V":
		return !a.has("-V") && (a.row.Level <= verdict.BuildTest || a.row.Level == verdict.Network ||
			subs)
	case "-h":
		return a.row.Level < verdict.Privileged && !a.has("-h")
	case "-v":
		return subs && !a.has("-v") && a.name != "tmux"
	}
	return versionFlag(text)
}

func versionFlag(text string) bool {
	return text == "--version" || text == "--help" || text == "-version" || text == "-help"
}
