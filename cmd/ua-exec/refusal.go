package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ua/cmd/ua-exec/internal/report"
	"ua/internal/common/capture"
	"ua/internal/common/chain"
	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// likelyCause adds those lines of a failed command's output that look like the kernel's
// refusal inside a sandbox. The kernel reports refusals to nobody else. A command can
// print such lines itself, so they have no other effect.
func (e *execution) likelyCause(b *event.Builder, n *notes, got *capture.Result) {
	code, _ := e.ended.Code()
	if e.x.opts.unconfined || code == 0 || e.call.profile == verdict.ProfileNone {
		return
	}
	var lines []string
	for line := range strings.Lines(got.Text) {
		if refused(line, e.call.profile) && len(lines) < causeLines {
			lines = append(lines, strings.TrimSpace(line[:min(len(line), causeBytes)]))
		}
	}
	if len(lines) > 0 {
		b.Raw("sandbox_refused", marshal(lines))
	}
	may := allowed[e.call.profile]
	if tier, ok := e.x.tier.known(); ok && tier < 3 && e.call.profile == verdict.ProfileNetwork &&
		!e.call.delegates {
		may = "there is no network, as this system refuses the sandbox a namespace"
	} else if len(lines) == 0 {
		return
	}
	n.addf("it ran in the profile %s: %s, which may be why it failed", e.call.profile, may)
	inside := func(line string) bool { return protected(line) && !elsewhere(line, e.x.cwd) }
	if e.call.profile != verdict.ProfileReadOnly && slices.ContainsFunc(lines, inside) {
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
	chain.RefusedWords, "CONNECT tunnel failed", "Tunnel connection failed",
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
func (e *execution) refusedHosts(b *event.Builder, n *notes) {
	list := e.netLog.Refused()
	code, _ := e.ended.Code()
	if e.x.opts.unconfined || code == 0 || e.call.profile != verdict.ProfileNetwork {
		return
	}
	if e.netLog == nil {
		list = report.AskProxy(e.x.environ.ProxyURL, e.began)
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

// unjudged answers a call without a verdict. With --ungated it runs it instead.
func (s *stage) unjudged(c *call) {
	if !s.opts.ungated {
		s.reply(c, "refused",
			"no verdict came for this call, so it was not run (ua-gate belongs before ua-exec)")
		return
	}
	j := judgement{risk: verdict.Write, profile: verdict.ProfileWorkspace}
	if !j.profile.Within(verdict.Profile(s.opts.profileMax)) {
		j.profile = verdict.Profile(s.opts.profileMax)
	}
	c.judged(j)
	s.run(c)
}

// refusal returns the status and the text of the result of a call that may run by its
// verdicts but does not. They are "" for a call that enters the executor's queue.
func (s *stage) refusal(c *call) (status, why string) {
	switch {
	case c.name != "shell":
		return "not_found", "there is no tool of this name, only shell"
	case c.bad != "":
		return "refused", c.bad
	case c.command == "":
		return "refused", "the call has no command: input must be {\"command\": \"…\"}"
	case s.opts.commands >= 0 && s.all > s.opts.commands:
		return "refused", fmt.Sprintf("reached the limit of %s, so it was not run",
			style.Plural(int64(s.opts.commands), "command"))
	case s.opts.callsMax > 0 && s.calls > s.opts.callsMax:
		return "refused", fmt.Sprintf(
			"more than %d calls in one turn: the rest was not run (--calls-max)", s.opts.callsMax)
	}
	return "", ""
}

// refusal returns the status and the text of the result of a call that does not run
// although it is its turn. They are "" for a call that runs.
func (x *executor) refusal() (status, why string) {
	switch {
	case x.ctx.Err() != nil:
		return "refused", interrupted
	case x.shell.sandbox == "" && !x.opts.unconfined:
		return "refused", "ua-sandbox is neither beside ua-exec nor on PATH, " +
			"so nothing was run (--unconfined runs commands without it)"
	}
	return "", ""
}

// reply queues the result of a call that was not run.
func (s *stage) reply(c *call, status, why string) {
	s.queue.put(item{line: answer(c, status, why)})
}

// answer returns the result of a call that was not run.
func answer(c *call, status, why string) []byte {
	return event.New("tool_result").Str("call_id", c.id).Str("output", why).
		Bool("truncated", false).Int("duration_ms", 0).Str("status", status).Line()
}

// interrupted is the answer to calls whose turn did not come.
const interrupted = "the run was interrupted before this call's turn, so it was not run"
