package classify

import "strings"

// nameRows are the rows by which programs are judged that have none of their own, by what their
// names say that they do.
var nameRows = []struct {
	ends []string
	row  string
}{
	{[]string{"lint", "linter", "-check", "-checker", "-validate", "-validator"}, "(checks)"},
	{[]string{"fmt", "-format", "-formatter"}, "(formats)"},
	{[]string{"-test", "-tests", "-build", "-bench", "-benchmark", "-report", "-coverage",
		"-fuzz", "-fuzzer", "-docs", "-compile", "-compiler"}, "(builds)"},
	{[]string{"info", "-stat", "-stats", "stats", "diff", "-dump", "-grep", "-ls", "-tree",
		"topnm", "toppm", "topgm", "topbm", "topam"}, "(tells)"},
}

// otherNames are parts of the names of programs that reach other machines, accounts or secrets,
// whatever else the name says.
var otherNames = []string{"sql", "pg", "mongo", "redis", "kube", "k8s", "net", "http", "ldap",
	"smb", "ssh", "aws", "gcp", "azure", "cloud", "secret", "pass", "cred", "hash", "mem", "sys",
	"web", "url", "mail", "git", "ftp", "domain", "whois", "dns", "nfs", "snmp", "host", "user",
	"priv", "disk", "part", "usb", "flash", "efi", "boot", "docker", "helm", "db", "key", "wifi"}

// byName returns the row for a program of which the table knows nothing but what its name says,
// or nil: a checker, a formatter, a converter, or one that tells something. With a word that
// may be another machine it is an unknown program like any other.
func (w *walker) byName(name string, words []word) *row {
	if len(name) < 5 && !buildsByVerb(words) ||
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-.") != "" {
		return nil
	}
	// A part of the name says that it does more than the rest promises.
	for _, part := range otherNames {
		if strings.Contains(name, part) {
			return nil
		}
	}
	for _, wd := range words {
		if strings.ContainsAny(wd.text, "@") || strings.Contains(wd.text, ":/") ||
			address(wd.text) {
			return nil
		}
	}
	for _, r := range nameRows {
		for _, end := range r.ends {
			if strings.HasSuffix(name, end) && len(name) > len(end) {
				return w.row(r.row)
			}
		}
	}
	switch {
	case buildsByVerb(words):
		return w.row("(builds)")
	case turns(name):
		return w.row("(turns)")
	// Netpbm names its programs so, and they write to standard output.
	case len(name) > 6 && inList(" pnm ppm pgm pbm pam ", name[:3]):
		return w.row("(tells)")
	case strings.HasSuffix(name, "-config") && onlyAsks(words):
		return w.row("(tells)")
	}
	return nil
}

// buildsByVerb reports whether the first word is a verb by which programs build, test or check
// the project, and no other word acts, is code or leads elsewhere.
func buildsByVerb(words []word) bool {
	for len(words) > 0 && inList(" -q -v -vv --quiet --verbose --silent ", words[0].text) {
		words = words[1:]
	}
	if len(words) == 0 || !words[0].known() ||
		strings.Trim(words[0].text, "abcdefghijklmnopqrstuvwxyz0123456789:-_.") != "" ||
		!inList(" build test tests check checks lint verify validate compile bench benchmark "+
			"coverage doctor typecheck ", firstOf(keyWords(words[0].text))) {
		return false
	}
	for _, wd := range words {
		bare := strings.TrimLeft(wd.text, "-")
		name, _, _ := strings.Cut(bare, "=")
		if !wd.known() || inList(actingWords, name) || inList(runsWords, name) ||
			strings.ContainsAny(wd.text, "~$`;|&<>(){}! ") || rooted(bare) ||
			len(bare) == 1 && inList(" e c x ", bare) ||
			strings.Contains(wd.text, "..") || strings.Contains(wd.text, "=/") {
			return false
		}
	}
	return true
}

func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// asksForList reports whether a program of which nothing is known is asked for a list, a
// status or the like by the first or the last of at most three plain words, and neither its
// name nor they say that they act, or are about another machine, an account or a secret.
func (a *argv) asksForList(name string) bool {
	n := len(a.words)
	if n == 0 || n > 3 || strings.Contains(name, "/") {
		return false
	}
	asks := false
	for i, wd := range a.words {
		text := strings.ToLower(wd.text)
		bare := strings.TrimLeft(text, "-")
		if !wd.known() || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_0123456789-.") != "" ||
			inList(actingWords, bare) {
			return false
		}
		for _, part := range otherNames {
			if strings.Contains(text, part) || strings.Contains(name, part) {
				return false
			}
		}
		lists := inList(" list ls status info meta version ", bare) || strings.HasPrefix(bare, "list-")
		if bare != text && !lists {
			return false // another flag
		}
		asks = asks || lists && (i == 0 || i == n-1)
	}
	return asks
}

// actingWords are verbs of sub-commands that change something or run it.
const actingWords = " rm delete destroy run exec remove kill drop purge wipe clean reset push " +
	"publish deploy send set add create start stop install uninstall apply sync upload eval " +
	"restore import load flush disable enable revoke cancel prune "

// turns reports whether the name is that of a converter: svg2pdf.
func turns(name string) bool {
	from, to, ok := strings.Cut(name, "2")
	return ok && len(from) > 1 && len(to) > 1 && lettersAtEnds(from) && lettersAtEnds(to)
}

func lettersAtEnds(s string) bool {
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' }
	return letter(s[0]) && letter(s[len(s)-1])
}

// address reports whether a word has four numbers parted by dots, or a host's port.
func address(text string) bool {
	numbers := 0
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '.' }) {
		if strings.Trim(part, "0123456789") == "" {
			numbers++
		}
	}
	host, port, ok := strings.Cut(text, ":")
	return numbers > 3 || ok && strings.Contains(host, ".") && len(port) > 1 &&
		strings.Trim(port, "0123456789") == ""
}

// onlyAsks reports whether the words are long flags without a value.
func onlyAsks(words []word) bool {
	for _, wd := range words {
		if !strings.HasPrefix(wd.text, "--") || strings.Contains(wd.text, "=") || !wd.known() {
			return false
		}
	}
	return len(words) > 0
}
