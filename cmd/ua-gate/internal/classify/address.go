package classify

import (
	"net/netip"
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

// thisMachine reports whether an address or URL is one of this machine alone.
func thisMachine(text string) bool {
	if strings.HasPrefix(text, "unix:") {
		return true
	}
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		text = text[:end]
	}
	if host, port, ok := strings.Cut(text, ":"); ok && strings.Trim(port, "0123456789") == "" {
		text = host // an address of IPv6 has more than one colon
	} else if host, _, ok := strings.Cut(text, "]"); ok {
		text = strings.TrimPrefix(host, "[")
	}
	addr, err := netip.ParseAddr(text)
	return text == "localhost" || err == nil && addr.IsLoopback()
}

// address is the rule for a word where a file is expected that is none: another
// machine's, or a command's output.
func (a *argv) address(what effect, label string, val word) {
	pipe := strings.Trim(val.text, " ")
	if strings.Trim(pipe, "| ") != "" && (pipe[0] == '|' || strings.HasSuffix(pipe, "|") &&
		(a.row.reader == "perl" || a.startsProgram(pipe))) ||
		what == isWrite && len(pipe) > 1 && pipe[0] == '!' {
		a.p.add(runsHidden, label, label+" runs "+show(strings.Trim(val.text, "|!")))
	}
	if strings.Contains(val.text, "/vsicurl") || strings.Contains(val.text, "/vsis3/") {
		a.p.add(talks, label, label+" talks to "+show(val.text)) // a file system of GDAL
	}
	scheme, rest, found := strings.Cut(val.text, "://")
	if inList(" stdin stdout stderr memory temp ", rest) && scheme == "php" {
		return
	}
	// Not a URL, or one that stays here.
	if !found || inList(localSchemes, scheme) || strings.ContainsAny(scheme, " /=\"'") {
		return
	}
	if scheme == "macro" || strings.HasPrefix(scheme, "vnd.") {
		a.p.add(runsHidden, label, label+" runs a macro")
	} else if scheme != "" && !((a.row.level == buildTest || inList(runScripts, a.name)) &&
		what != isExec && inList(" http https ws wss ", scheme) && thisMachine(val.text) &&
		(what != isPlug || path.Ext(rest[strings.IndexByte(rest+"/", '/'):]) == "")) {
		a.p.add(talks, label, label+" talks to "+show(val.text))
	}
}

// runScripts run a script of the project with its words, as a row at build_test does.
const runScripts = " node nodejs python python3 ruby perl php lua tsx ts-node "

// startsProgram reports whether a text begins with what may be a program's name.
func (a *argv) startsProgram(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	return strings.ContainsAny(name, "/|") || strings.Contains(name, hole) || a.w.row(name) != nil
}

// localSchemes begin the addresses of files and sockets of this machine.
const localSchemes = " file sqlite duckdb unix "
