package command

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ua/cmd/ua-exec/internal/statuschannel"
	"ua/internal/common/capture"
	"ua/internal/common/event"
	"ua/internal/common/execwrap"
	"ua/internal/common/verdict"
)

// Limits on what a result quotes from an output as the likely cause of a failure.
const (
	causeLines = 5
	causeBytes = 200 // of each
)

// likelyCause adds those lines of a failed command's output that look like the kernel's
// refusal inside a sandbox. The kernel reports refusals to nobody else. A command can
// print such lines itself, so they have no other effect.
func (c *Command) likelyCause(b *event.Builder, n *notes, got *capture.Result) {
	code, _ := c.Ended.Code()
	if c.runner.Options.Unconfined || code == 0 || c.Call.Profile == verdict.ProfileNone {
		return
	}
	var lines []string
	for line := range strings.Lines(got.Text) {
		if refused(line, c.Call.Profile) && len(lines) < causeLines {
			lines = append(lines, strings.TrimSpace(line[:min(len(line), causeBytes)]))
		}
	}
	if len(lines) > 0 {
		b.Raw("sandbox_refused", marshal(lines))
	}
	may := allowed[c.Call.Profile]
	if tier, ok := c.runner.tier(); ok && tier < 3 && c.Call.Profile == verdict.ProfileNetwork &&
		!c.Call.Delegates {
		may = "there is no network, as this system refuses the sandbox a namespace"
	} else if len(lines) == 0 {
		return
	}
	n.addf("it ran in the profile %s: %s, which may be why it failed", c.Call.Profile, may)
	inside := func(line string) bool { return protected(line) && !elsewhere(line, c.runner.cwd) }
	if c.Call.Profile != verdict.ProfileReadOnly && slices.ContainsFunc(lines, inside) {
		n.add("a file of this folder that is read-only or busy is most likely protected, because git " +
			"or another program runs or obeys it (.git/config, .git/hooks and the like); " +
			"only the person can lift that: ua --write FILE")
	}
}

// protected reports whether a line is what programs print when the sandbox protects a file
// (ua-sandbox(1)): a write fails, or the file cannot be replaced.
func protected(line string) bool {
	return strings.Contains(line, "ead-only file system") ||
		strings.Contains(line, "Device or resource busy")
}

// elsewhere reports whether a line names a path that is outside of the folder, behind the name of
// the program that prints it.
func elsewhere(line, folder string) bool {
	part := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`‘’:", r) }
	words := strings.FieldsFunc(line, part)
	return slices.ContainsFunc(words[min(1, len(words)):], func(word string) bool {
		in, err := filepath.Rel(folder, word)
		return word == ".." || strings.HasPrefix(word, "../") ||
			filepath.IsAbs(word) && (err != nil || !filepath.IsLocal(in))
	})
}

// allowed says what a command may do in each profile.
var allowed = map[verdict.Profile]string{
	verdict.ProfileReadOnly:  "nothing but TMPDIR can be written and there is no network",
	verdict.ProfileWorkspace: "only this folder and TMPDIR can be written and there is no network",
	verdict.ProfileNetwork:   "only allowed hosts are reached, through the proxy",
}

// refusalWords are words that programs print when the kernel refuses something.
var refusalWords = [...]string{
	"EROFS",
	"Permission denied", "permission denied", "EACCES",
	"Operation not permitted", "operation not permitted",
	"Network is unreachable", "network is unreachable",
	"Could not resolve host", "Temporary failure in name resolution",
}

// proxyWords are words that programs print when the proxy refuses a host.
var proxyWords = [...]string{
	execwrap.RefusedWords, "CONNECT tunnel failed", "Tunnel connection failed",
}

// refused reports whether a line is a message about a refusal that the profile can have
// caused.
func refused(line string, p verdict.Profile) bool {
	holds := func(word string) bool { return strings.Contains(line, word) }
	return slices.ContainsFunc(refusalWords[:], holds) || protected(line) ||
		p == verdict.ProfileNetwork && slices.ContainsFunc(proxyWords[:], holds)
}

// refusedHosts adds to the result of a failed network command which hosts the proxy has
// refused. Many programs do not print why they fail.
func (c *Command) refusedHosts(b *event.Builder, n *notes) {
	list := c.netLog.Refused()
	code, _ := c.Ended.Code()
	if c.runner.Options.Unconfined || code == 0 || c.Call.Profile != verdict.ProfileNetwork {
		return
	}
	if c.netLog == nil {
		list = statuschannel.AskProxy(c.runner.Environ.ProxyURL, c.Began)
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 0 {
		return
	}
	list = list[:min(len(list), 10)]
	b.Raw("net_refused", marshal(list))
	for _, why := range list {
		n.addf("%s (--net-allow)", why)
	}
}
