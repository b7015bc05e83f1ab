package classify

import (
	"slices"
	"strings"
)

// help is the rule for a command that only asks what a program is and can do: its
// version, its help, and the lists that are built into it.
func (a *argv) help() bool {
	n := len(a.words)
	if n == 0 || n > 4 || a.floor() > readOnly || // the project's own program runs
		a.w.o.Overlay.find(a.name) != nil {
		return false
	}
	last := a.words[n-1].text
	switch {
	case n == 1 && a.asksAlone(last):
	case !versionFlag(last) && !(last == "-h" && n > 1 && a.hasSubs() && !a.has("-h")),
		n > 1 && !a.hasSubs() && !a.takesNames(), !plainWords(a.words[:n-1]),
		n > 2 && !inList(" gh gcloud az aws nomad ", a.name) &&
			slices.ContainsFunc(a.words[:n-2], startsAnother):
		return false
	}
	a.p.add(readsFiles, a.name+" "+last, "prints a version or help")
	return true
}

// startsAnother reports whether a sub-command is one behind which another program's name stands,
// which is fetched and run before it says anything: npm exec NAME --help, docker run NAME -h.
func startsAnother(wd word) bool {
	return inList(" run exec x dlx create init tool shell start e c ", wd.text)
}

// hasSubs reports whether the row knows sub-commands of the program.
func (a *argv) hasSubs() bool { return a.row.facts&factSubs != 0 || len(a.row.subs) > 0 }

// takesNames reports whether the row says of no operand that it is code, a program or what a
// program is given: then words before --help are sub-commands that the table does not know.
func (a *argv) takesNames() bool {
	return a.row.reader == "" && a.row.facts&(factEnds|factCode|factScript|factText) == 0 &&
		a.row.level != privileged && a.row.level != buildTest &&
		!slices.ContainsFunc(a.row.slots, func(s slot) bool {
			return s.what != isNothing && s.what != isRead && s.what != isList && s.what != isText
		})
}

// plainWords reports whether the words are names of sub-commands, and no flags or paths.
func plainWords(words []word) bool {
	return !slices.ContainsFunc(words, func(wd word) bool {
		return strings.Trim(wd.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"+
			"_:0123456789-") != "" ||
			strings.HasPrefix(wd.text, "-") || !wd.known()
	})
}

// asksAlone reports whether the word, as the only one, asks for a version or for help. A
// program of sub-commands has nothing else to do with -v, -V or the word version. What the row
// says of a flag comes first: ctest -V runs the tests and says more of them.
func (a *argv) asksAlone(text string) bool {
	subs := a.hasSubs()
	switch text {
	case "-V":
		return !a.has("-V") && (a.row.level <= buildTest || a.row.level == network || subs)
	case "-h":
		return a.row.level < privileged && !a.has("-h")
	case "-v":
		return subs && !a.has("-v") && a.name != "tmux"
	}
	return versionFlag(text)
}
