package classify

import "strings"

// commandSettings is the rule for words by which a program that builds or writes gets settings,
// NAME=VALUE, NAME:VALUE or task[VALUE], whatever flag stands before them: a value that is the
// command line of a shell, or of a program that loses something, may be run. So may a whole word
// behind a flag that sets a variable of the project's own tasks.
func (a *argv) commandSettings() {
	if a.row.level != buildTest && a.row.level != write || a.p.Level > network ||
		a.row.facts&(factText|factCode|factScript) != 0 || inList(" tee dd git cp ", a.row.name) ||
		strings.HasPrefix(a.name, "git ") {
		return
	}
	for i, wd := range a.words[:len(a.words)-len(a.rest)] {
		if !strings.Contains(wd.text, " ") || !wd.known() {
			continue
		}
		key, val := splitSetting(wd.text)
		flag := ""
		// The flag may stand before the word or before the name in front of it.
		for k := i - 1; k >= 0 && k >= i-2 && flag == ""; k-- {
			if strings.HasPrefix(a.words[k].text, "-") {
				flag = a.words[k].text
			}
		}
		if key == "" && !inAny(settingFlags, keyWords(flag)) || inAny(proseNames, keyWords(key)) ||
			flag == "-m" || strings.HasPrefix(val, "-") && a.row.reader != "make" ||
			inAny(proseNames, keyWords(flag)) && key == "" || !losesByWords(val) {
			continue
		}
		a.script(a.name+" NAME=", lit(val), stream{})
	}
}

// settingFlags are words in the names of flags behind which a setting follows.
const settingFlags = " set define variable var param arg argstr parameter "

// splitSetting returns the name and the value of a word that sets something; the name is empty
// where it does not.
func splitSetting(text string) (key, val string) {
	i := strings.IndexAny(text, "=:[ ")
	if i <= 0 || text[i] == ' ' || i+1 == len(text) || text[i+1] == ' ' {
		return "", text
	}
	if strings.Trim(strings.ToLower(text[:i]), "abcdefghijklmnopqrstuvwxyz0123456789_.-/+") != "" {
		return "", text
	}
	val = text[i+1:]
	if text[i] == '[' {
		val = strings.TrimSuffix(val, "]")
	}
	if inner, rest := splitSetting(val); inner != "" && strings.ContainsAny(text[:1], "-/") {
		return inner, rest // --define=cmd=rm x, /p:cmd=rm x
	}
	return text[:i], strings.Trim(val, `"'`)
}

// losesByWords reports whether a text is a command line that begins with a shell or a program
// that loses something, and gives it more than flags: RM="rm -f" is how makefiles name a tool.
func losesByWords(text string) bool {
	if !startsCommand(text) || toolValue(text) {
		return false
	}
	for _, arg := range strings.Fields(text)[1:] {
		if !strings.HasPrefix(arg, "-") || arg == "-c" || arg == "-e" {
			return true
		}
	}
	return false
}
