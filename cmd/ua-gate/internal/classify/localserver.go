package classify

import (
	"net/netip"
	"strings"
)

// loopback is the rule for a server of the project: one that listens for this machine alone is a
// part of a build or a test, since what asks it is in the same sandbox.
func (a *argv) loopback() {
	if a.base != network || a.fixed {
		return
	}
	program, _, _ := strings.Cut(a.name, " ")
	here := inList(listensHere, program)
	for i, wd := range a.words {
		name, val, set := strings.Cut(wd.text, "=")
		switch {
		case !wd.plain():
			return
		case inList(addressFlags, name):
			if !set {
				val = first(a.words[i+1:], "").text
			}
			if !thisMachine(val) {
				return
			}
			here = true
		case strings.HasPrefix(name, "-") && strings.Contains(name, "tunnel"):
			return
		}
	}
	if here {
		a.base = buildTest
	}
}

// addressFlags are those by which servers are told where to listen.
const addressFlags = " -b --bind -H --host --hostname --ip --address --addr --listen --url " +
	"--urls --server.address --interface -a "

// listensHere are servers that listen for this machine alone unless they are told otherwise.
const listensHere = " uvicorn gunicorn hypercorn daphne granian json-server "

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
