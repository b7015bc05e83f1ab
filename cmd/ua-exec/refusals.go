package main

import (
	"strings"

	"ua/internal/common/capture"
	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// refusals tells which lines of a failed command's output are what the kernel
// says when a sandbox refuses something. The kernel itself tells nobody else.
func (e *execution) refusals(b *event.Builder, n *notes, got *capture.Result) {
	code, _ := e.ended.code()
	if e.x.opts.unconfined || code == 0 || e.call.profile == verdict.ProfileNone {
		return
	}
	var lines []string
	for line := range strings.Lines(got.Text) {
		if refused(line, e.call.profile) && len(lines) < 5 {
			lines = append(lines, strings.TrimSpace(line[:min(len(line), 200)]))
		}
	}
	if len(lines) == 0 {
		return
	}
	b.Raw("sandbox_refused", marshal(lines))
	switch e.call.profile {
	case verdict.ProfileReadOnly:
		n.add("it ran in the profile read-only: nothing but TMPDIR can be written and there is no network, which may be why it failed")
	case verdict.ProfileWorkspace:
		n.add("it ran in the profile workspace: only this folder and TMPDIR can be written and there is no network, which may be why it failed")
	default:
		n.add("it ran in the profile network: only allowed hosts are reached, through the proxy, which may be why it failed")
	}
}

// refused says whether the line is the message of a refusal that the profile
// can be the cause of.
func refused(line string, p verdict.Profile) bool {
	for _, word := range []string{"Read-only file system", "Permission denied", "permission denied", "Operation not permitted", "operation not permitted", "Network is unreachable",
		"Could not resolve host", "Temporary failure in name resolution", "EROFS", "EACCES", "read-only file system", "network is unreachable"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return p == verdict.ProfileNetwork && (strings.Contains(line, "ua-sandbox refused") ||
		strings.Contains(line, "CONNECT tunnel failed") || strings.Contains(line, "Tunnel connection failed"))
}
