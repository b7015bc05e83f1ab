// Package proxy is the only way out of a sandbox: an HTTP proxy with a list of
// allowed hosts. The parent of ua-sandbox serves it outside, on a listener that was made
// inside the sandbox's network namespace.
//
// What it promises: nothing leaves except to a listed host and port. A name is resolved
// once, and the address that was judged is the address that is dialled. An address of
// this machine or of a private network is dialled only if it is listed itself.
//
// What it cannot promise: it does not look inside TLS. A host that serves several sites
// (a CDN) can therefore be asked for another site by the Host header, or by an encrypted
// client hello with the allowed name outside.
package proxy

import (
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// An Allowlist is the list of hosts that may be reached.
type Allowlist struct {
	rules []rule
	// live holds further items, a line each, as they are at the moment of a request. Only who
	// has started the sandbox can write it. The presets are those of the start.
	live    io.ReaderAt
	presets map[string][]rule
}

// A rule allows one name, all names below a domain, or one address.
type rule struct {
	name  string     // in the form of cleanName; "" for an address and for every name
	below bool       // the names below name, not name itself
	addr  netip.Addr // valid for an address
	ports []uint16
}

// The ports of a rule that gives none.
var webPorts = []uint16{80, 443}

// ParseAllowlist parses the items of a list: HOST[:PORT], *.DOMAIN[:PORT], *[:PORT] for
// every public host, an address ([IPv6]:PORT with brackets), host.internal for the
// machine outside, "packages" or "git". Without a port an item allows 80 and 443.
//
// The preset "packages" stands for the hosts that package managers ask by default, and those
// that the caller's variables name. "git" stands for the hosts of the remotes of the
// repository around the working folder. A command that may write the repository's config can
// add to it for the next sandbox. A preset that finds nothing allows no host.
func ParseAllowlist(allow []string) (*Allowlist, error) {
	return parseAllowlist(allow, readPresets())
}

// parseAllowlist is ParseAllowlist with given presets.
func parseAllowlist(allow []string, m presets) (*Allowlist, error) {
	p := &Allowlist{}
	for _, item := range allow {
		var rules []rule
		var err error
		switch item {
		case "packages":
			rules = packageHosts(m.getenv)
		case "git":
			rules = m.gitHosts()
		default:
			var r rule
			r, err = parseRule(item)
			rules = []rule{r}
		}
		if err != nil {
			return nil, err
		}
		p.add(rules)
	}
	return p, nil
}

// Follow makes the list allow what f lists, too, whenever f lists it. An item counts with its
// newline, so that no half of a name does.
func (p *Allowlist) Follow(f io.ReaderAt) {
	m := readPresets()
	p.live, p.presets = f, map[string][]rule{"packages": packageHosts(m.getenv), "git": m.gitHosts()}
}

// maxLive is how many bytes are read of what a caller lists besides, while the sandbox stands.
const maxLive = 4 << 10

// now returns the rules that hold at the moment.
func (p *Allowlist) now() []rule {
	if p.live == nil {
		return p.rules
	}
	now := &Allowlist{rules: slices.Clone(p.rules)}
	text := make([]byte, maxLive)
	n, _ := p.live.ReadAt(text, 0)
	lines := strings.Split(string(text[:n]), "\n")
	for _, item := range lines[:len(lines)-1] {
		rules, preset := p.presets[item]
		if r, err := parseRule(item); !preset && err == nil {
			rules = []rule{r}
		}
		now.add(rules)
	}
	return now.rules
}

// add appends the rules that p does not have yet.
func (p *Allowlist) add(rules []rule) {
	have := map[string]bool{}
	for _, r := range p.rules {
		have[r.String()] = true
	}
	for _, r := range rules {
		if name := r.String(); !have[name] {
			have[name], p.rules = true, append(p.rules, r)
		}
	}
}

// thisHost reports whether the name stands for the machine outside, which needs no lookup
// and no listed address. Inside, localhost is the sandbox itself, so the name to list and
// to ask for is host.internal.
func thisHost(name string) bool { return name == "localhost" || name == "host.internal" }

// parseRule parses one item of the list that is no preset.
func parseRule(item string) (rule, error) {
	if strings.Contains(item, "://") {
		return rule{}, fmt.Errorf("%q: an allowed host is HOST or HOST:PORT, not a URL", item)
	}
	text, port, err := splitPort(item)
	if err != nil {
		return rule{}, fmt.Errorf("%q: %w", item, err)
	}
	r := rule{ports: webPorts}
	if port != 0 {
		r.ports = []uint16{port}
	}
	if text == "*" {
		return r, nil
	}
	text, r.below = strings.CutPrefix(text, "*.")
	h, err := parseHost(text)
	if err == nil && r.below && h.addr.IsValid() {
		err = fmt.Errorf("an address has no names below it")
	}
	if err != nil {
		return rule{}, fmt.Errorf("%q: %w", item, err)
	}
	r.name, r.addr = h.name, h.addr
	return r, nil
}

// String returns the rule as it is written in the list.
func (r rule) String() string {
	s := r.name
	switch {
	case r.addr.Is6():
		s = "[" + r.addr.String() + "]"
	case r.addr.IsValid():
		s = r.addr.String()
	case r.name == "":
		s = "*"
	case r.below:
		s = "*." + r.name
	}
	if slices.Equal(r.ports, webPorts) {
		return s
	}
	return s + ":" + strconv.Itoa(int(r.ports[0]))
}

// matches reports whether the rule allows the host at some port, and whether at this one.
func (r rule) matches(h host, port uint16) (named, ok bool) {
	switch {
	case r.addr.IsValid() || h.addr.IsValid():
		named = r.addr == h.addr
	case (r.name == "" || r.below) && thisHost(h.name):
		named = false // only by its own name
	case r.name == "":
		named = true
	case r.below:
		named = strings.HasSuffix(h.name, "."+r.name)
	default:
		named = h.name == r.name
	}
	return named, named && slices.Contains(r.ports, port)
}

// allows returns nil if the host may be reached at the port, and otherwise why not.
func (p *Allowlist) allows(h host, port uint16) error {
	var ports []string
	for _, r := range p.now() {
		named, ok := r.matches(h, port)
		if ok {
			return nil
		}
		for _, n := range r.ports {
			if named {
				ports = append(ports, strconv.Itoa(int(n)))
			}
		}
	}
	if ports != nil {
		return fmt.Errorf("%s is allowed at port %s only", h, strings.Join(ports, ", "))
	}
	return fmt.Errorf("%s is not among the allowed hosts", h)
}

// names reports whether the host may be reached at some port.
func (p *Allowlist) names(h host) bool {
	return slices.ContainsFunc(p.now(),
		func(r rule) bool { named, _ := r.matches(h, 0); return named })
}

// Hosts returns the list with presets resolved.
func (p *Allowlist) Hosts() (list []string) {
	for _, r := range p.now() {
		list = append(list, r.String())
	}
	return list
}

// summary returns the list in one short line, for a refusal.
func (p *Allowlist) summary() string {
	list := p.Hosts()
	if len(list) == 0 {
		return "no host"
	}
	const most = 20
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}
