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

// otherHost reports whether the last word of a flag's name says that its value is a machine to
// talk to, and that looks like the name of one that is not this one or its neighbour.
func (a *argv) otherHost(name string, val string) bool {
	words := keyWords(name)
	if len(words) == 0 || len(name) < 6 || a.row != nil && a.row.facts&factText != 0 ||
		!inList(" server remote endpoint registry collector broker upstream sink peer gateway relay ",
			words[len(words)-1]) {
		return false
	}
	host, _, _ := strings.Cut(val[strings.IndexByte(val, '@')+1:], ":")
	end := host[strings.LastIndexByte(host, '.')+1:]
	return end != host && len(end) > 1 && !strings.ContainsAny(val, "/ ="+hole) &&
		!thisMachine(val) &&
		!inList(" localhost local internal localdomain home lan test ", end) &&
		strings.Trim(end, "abcdefghijklmnopqrstuvwxyz") == "" && !codeFile(host) &&
		!inList(dataEnds, end)
}
