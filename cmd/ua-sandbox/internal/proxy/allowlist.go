// Package proxy is the way out of a sandbox: an HTTP and SOCKS5 proxy with a
// list of allowed hosts. ua-sandbox's parent serves it outside, on a listener
// that was made inside the sandbox's network namespace.
//
// What it promises: nothing leaves but to a listed host and port; a name is
// resolved once, and the address that was judged is the one that is dialled; an
// address of this machine or of a private network is dialled only when it is
// itself listed. What it can't promise: it does not look inside TLS, so a host
// that serves several sites (a CDN) can be asked for another one by the Host
// header, or by an encrypted client hello whose outer name is the allowed one.
package proxy

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Policy is the list of hosts that may be reached.
type Policy struct {
	rules    []rule
	packages func() []rule // of the preset, nil without it
	once     sync.Once
}

// A rule allows one name, the names below a domain, or one address.
type rule struct {
	name  string     // in the form of cleanName; "" for an address and for every name
	below bool       // the names below name, not name itself
	addr  netip.Addr // valid for an address
	ports []uint16
}

// The ports of a rule that names none.
var webPorts = []uint16{80, 443}

// ParsePolicy reads the items of a list: HOST[:PORT], *.DOMAIN[:PORT], *[:PORT]
// for every public host, an address ([IPv6]:PORT with brackets), host.internal
// for the machine outside, "packages" or "git". Without a port an item allows 80
// and 443.
//
// The two presets hold no names of their own. "packages" is the hosts that this
// machine's package managers are set to: GOPROXY and GOSUMDB, npmrc, pip.conf,
// cargo's config and the sources of apt, of the user and of the system; what a
// project's folder sets is not read, since commands may write there, and they are read
// when the first host is asked for, since most commands ask for none. "git" is the
// hosts of the remotes of the repository around the working directory: a command
// that may write the repository's config can add to it for the next sandbox.
// A preset that finds nothing names no host.
func ParsePolicy(allow []string) (*Policy, error) {
	return parsePolicy(allow, readPresets())
}

func parsePolicy(allow []string, m presets) (*Policy, error) {
	p := &Policy{}
	for _, item := range allow {
		var rules []rule
		var err error
		switch item {
		case "packages":
			p.packages = m.packageHosts
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

// all returns the rules, presets resolved.
func (p *Policy) all() []rule {
	p.once.Do(func() {
		if p.packages != nil {
			p.add(p.packages())
		}
	})
	return p.rules
}

// add appends the rules that p does not have yet.
func (p *Policy) add(rules []rule) {
	for _, r := range rules {
		if !slices.ContainsFunc(p.rules, func(have rule) bool { return have.String() == r.String() }) {
			p.rules = append(p.rules, r)
		}
	}
}

// thisHost reports whether the name is the outside machine's own, which needs no
// lookup and no listed address. Inside, localhost is the sandbox itself, so
// host.internal is the name to list and to ask for.
func thisHost(name string) bool { return name == "localhost" || name == "host.internal" }

func loopback() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}
}

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

// String returns the rule as the list writes it.
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

// matches reports whether the rule allows the host at any port, and at this one.
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

// allows reports whether the host may be reached at the port, or why not.
func (p *Policy) allows(h host, port uint16) error {
	var ports []string
	for _, r := range p.all() {
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
func (p *Policy) names(h host) bool {
	return slices.ContainsFunc(p.all(),
		func(r rule) bool { named, _ := r.matches(h, 0); return named })
}

// Hosts returns the list as it stands, presets resolved.
func (p *Policy) Hosts() (list []string) {
	for _, r := range p.all() {
		list = append(list, r.String())
	}
	return list
}

// summary returns the list in one short line, for a refusal.
func (p *Policy) summary() string {
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
