package classify

import (
	"path"
	"strings"
)

// sends is the rule for a value of which @FILE is a file.
func (a *argv) sends(val word, flag string) {
	if _, file, ok := strings.Cut(val.text, "@"); ok && !strings.Contains(val.text, "=") &&
		inList(" --data-urlencode --url-query ", flag) {
		val = val.with("@" + file) // NAME@FILE
	}
	i := strings.IndexAny(val.text, "@<")
	if i < 0 || i > 0 && val.text[i-1] != '=' && val.text[i-1] != ';' {
		a.out |= val.from
		return
	}
	file := val.cut(i + 1)
	if file.text, _, _ = strings.Cut(file.text, ";"); file.text != "-" {
		a.reads(file)
	}
}

// sendsMore is the rule for secrets on other ways to the network: by what git takes up and sends
// later, and by files that the input names to a program which talks to other machines.
func (a *argv) sendsMore(from flow) {
	if program, verb, ok := strings.Cut(a.name, " "); ok && program == "git" {
		if a.p.Level == network && a.w.committed {
			a.out |= fromSecret
		}
		a.w.committed = a.w.committed || verb != "diff" && (from|a.out)&fromSecret != 0
	}
	if a.p.Level == network && a.in.known {
		for text := range strings.FieldsFuncSeq(a.in.text, partsPlaces) {
			a.reads(lit(text))
		}
	}
}

// thisMachine finds an address or URL of this machine alone.
var thisMachine = regex{text: `^(?:\w+://)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])` +
	`(?::\d+)?(?:[/?#]|$)`}

// address is the rule for a word where a file is expected that is none: another
// machine's, or a command's output.
func (a *argv) address(what effect, label string, val word) {
	pipe := strings.Trim(val.text, " ")
	if strings.Trim(pipe, "| ") != "" && (pipe[0] == '|' || strings.HasSuffix(pipe, "|") &&
		a.row.reader == "perl") ||
		what == isWrite && len(pipe) > 1 && pipe[0] == '!' {
		a.p.add(runsHidden, label, label+" runs "+show(strings.Trim(val.text, "|!")))
	}
	scheme, _, found := strings.Cut(val.text, "://")
	// Not a URL, or one that stays here.
	if !found || inList(localSchemes, scheme) || strings.ContainsAny(scheme, " /=\"'") {
		return
	}
	if scheme == "macro" || strings.HasPrefix(scheme, "vnd.") {
		a.p.add(runsHidden, label, label+" runs a macro")
	} else if scheme != "" && !(a.row.level == buildTest && what != isExec &&
		thisMachine.match(val.text) && (what != isPlug || path.Ext(val.text) == "")) {
		a.p.add(talks, label, label+" talks to "+show(val.text))
	}
}

// localSchemes begin the addresses of files and sockets of this machine.
const localSchemes = " file sqlite duckdb unix "
