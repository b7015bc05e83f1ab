package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// needs returns what a part's yes has to grant, since the sandbox refuses it otherwise: the
// folders of places outside the workspace that it writes, and the hosts that it names. A place
// that can't be granted is said in why.
func needs(p *classify.Part) (g verdict.Grant, why string) {
	for _, path := range p.Outside {
		folder, cannot := holder(path)
		if cannot != "" {
			why = cannot
		} else if !slices.Contains(g.Write, folder) {
			g.Write = append(g.Write, folder)
		}
	}
	if p.Level == verdict.Network {
		g.Host = hosts(p)
	}
	return g, why
}

// holder returns the folder that holds a path, or the nearest one that is there, without links.
// Programs make a file anew and rename it into its place, so the file alone would not do. What
// is hidden at the top of a home is granted by itself.
func holder(path string) (folder, why string) {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	real, err := filepath.EvalSymlinks(path)
	info, err2 := os.Stat(real)
	switch hidden := strings.HasPrefix(filepath.Base(path), "."); {
	case err == nil && err2 == nil && (info.IsDir() || hidden && filepath.Dir(real) == home):
		path = real
	case hidden && filepath.Dir(path) == home:
		return "", "what is hidden in a home is opened only if it is there"
	default:
		path = filepath.Dir(path)
	}
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil && at != "/" {
			continue
		}
		switch {
		case real == "/", real != home && (within(xdg.Config(), real) || within(xdg.State(), real)):
			return "", "the folder " + tilde(real, home) + " is never opened to a command"
		}
		return real, ""
	}
}

// within reports whether one of two paths is within the other.
func within(a, b string) bool { return confine.Under(a, b) || confine.Under(b, a) }

// tilde shortens the home in a path.
func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// tildes shortens the home in paths.
func tildes(paths []string) (list []string) {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	for _, path := range paths {
		list = append(list, tilde(path, home))
	}
	return list
}

// hostOf finds the hosts of URLs in a word, and of USER@HOST: and USER@HOST.
var hostOf = lazily(`(?i)(?:\b[a-z][a-z0-9+.-]*://(?:[^\s/@\x00]*@)?|^[a-z0-9._-]+@)` +
	`([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?`)

// bareHost is a word that names a host to programs that take a URL without its scheme.
var bareHost = lazily(`(?i)^([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})(:[0-9]+)?(?:/|$)`)

// lazily compiles a pattern when it is first used: each run starts a gate, and few ask.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// hosts returns the hosts that the words of a part name, but for this machine.
func hosts(p *classify.Part) (list []string) {
	program, _, _ := strings.Cut(p.Name, " ")
	for _, w := range p.Words {
		found := hostOf().FindAllStringSubmatch(w.Text, -1)
		if found == nil && w.Known && (program == "curl" || program == "wget" || program == "ssh") {
			found = bareHost().FindAllStringSubmatch(w.Text, -1)
		}
		for _, m := range found {
			name := strings.ToLower(strings.Trim(m[1], "[]"))
			addr, err := netip.ParseAddr(name)
			if name == "localhost" || strings.Trim(name, ".") == "" || err == nil && addr.IsLoopback() {
				continue
			}
			if host := strings.ToLower(m[1]) + m[2]; !slices.Contains(list, host) {
				list = append(list, host)
			}
		}
	}
	return list
}

// opens works out what a yes to the question grants. Where the command runs in no sandbox of
// ours, or outside of it, nothing has to be. What can't be granted is not asked about.
func (g *gate) opens(q *question) {
	if g.unconfined || g.hooked || q.Decision != verdict.Ask {
		return
	}
	if q.Profile == verdict.ProfileNone {
		if g.live {
			q.decide(verdict.Deny, "level", q.Rule, q.Reason+", and nothing leaves the sandbox "+
				"around this shell: run it yourself, in another terminal")
		}
		return
	}
	for _, p := range q.open {
		more, why := needs(p)
		if why != "" && besideProgram(p) {
			q.decide(verdict.Deny, "level", q.Rule, q.Reason+": "+why)
			return
		}
		q.Grant = join(q.Grant, more)
	}
	way := ""
	switch dirs := strings.Join(q.Grant.Write, " --write "); {
	case g.try:
		q.Grant.Host = nil
		way = "a try can't be opened: ua --write " + dirs + ", or without --try"
	case g.live:
		way = "the sandbox around this shell can't be opened while it runs: exit, then ua-shell " +
			"--sandbox workspace --write " + dirs
	}
	if way != "" && len(q.Grant.Write) > 0 {
		q.decide(verdict.Deny, "level", q.Rule, q.Reason+", and "+way)
	}
}

// join returns both grants together.
func join(a, b verdict.Grant) verdict.Grant {
	add := func(to, from []string) []string {
		for _, s := range from {
			if !slices.Contains(to, s) {
				to = append(to[:len(to):len(to)], s)
			}
		}
		return to
	}
	return verdict.Grant{Write: add(a.Write, b.Write), Host: add(a.Host, b.Host)}
}

// lets returns in words what a yes opens to the command, "" for nothing.
func lets(g verdict.Grant) string {
	var list []string
	if len(g.Write) > 0 {
		list = append(list, "write in "+strings.Join(tildes(g.Write), ", "))
	}
	if len(g.Host) > 0 {
		list = append(list, "reach "+strings.Join(g.Host, ", "))
	}
	if len(list) == 0 {
		return ""
	}
	return "a yes lets it " + strings.Join(list, ", and ")
}

// both returns what is in both grants.
func both(a, b verdict.Grant) verdict.Grant {
	common := func(a, b []string) (list []string) {
		for _, s := range a {
			if slices.Contains(b, s) {
				list = append(list, s)
			}
		}
		return list
	}
	return verdict.Grant{Write: common(a.Write, b.Write), Host: common(a.Host, b.Host)}
}

// openable reports whether a part is asked about only because it writes in folders outside the
// workspace that can be opened to it.
func openable(p *classify.Part) bool {
	need, why := needs(p)
	return p.Row == "path:outside" && why == "" && len(need.Write) > 0 && !p.Unread && !p.Held
}

// opened reports whether a part is free because all that it needs is held: the folders that it
// writes, or the hosts of a program that does nothing worse than talk to them. A kind that is
// granted needs its own.
func (g *gate) opened(p *classify.Part) (need verdict.Grant, ok bool) {
	if g.unconfined || g.hooked {
		return need, g.granted.part(p)
	}
	if len(g.granted) == 0 || p.Unread || p.Held {
		return need, false
	}
	need, why := needs(p)
	switch {
	case why != "" || !g.granted.holds("write", need.Write):
		return need, false
	case g.granted.part(p):
		return need, g.granted.holds("host", need.Host) || g.granted.holds(kind(p), need.Host)
	}
	return need, !need.Empty() && g.granted.holds("host", need.Host) &&
		(openable(p) || p.Level == verdict.Network && !besideProgram(p))
}

// hold remembers folders, or hosts for all programs or for a kind of them, for as long as the
// gate runs.
func (g grants) hold(what string, list []string) {
	for _, s := range list {
		g[what+"\x00"+s] = verdict.Denied
	}
}

// holds reports whether all of them are held.
func (g grants) holds(what string, list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool {
		_, ok := g[what+"\x00"+s]
		return !ok
	})
}
