package proxy

import (
	"fmt"
	"net"
	"net/netip"
)

// reserved keeps a sandbox away from the machine's own networks. It lists the address
// blocks of no public host (IANA special-purpose registries, RFC 6890), the metadata
// services of clouds, and the forms of IPv6 that contain an IPv4 address, since they lead
// to where that leads.
var reserved = []struct{ block, what string }{
	{"169.254.169.254/32", "a cloud's metadata address"},
	{"169.254.170.2/32", "a cloud's metadata address"},
	{"168.63.129.16/32", "a cloud's metadata address"},
	{"100.100.100.200/32", "a cloud's metadata address"},
	{"192.0.0.192/32", "a cloud's metadata address"},
	{"fd00:ec2::254/128", "a cloud's metadata address"},
	{"0.0.0.0/8", "an unspecified address"},
	{"10.0.0.0/8", "a private address"},
	{"100.64.0.0/10", "a shared (CGNAT) address"},
	{"127.0.0.0/8", "a loopback address"},
	{"169.254.0.0/16", "a link-local address"},
	{"172.16.0.0/12", "a private address"},
	{"192.0.0.0/24", "a reserved address"},
	{"192.0.2.0/24", "a reserved address"},
	{"192.88.99.0/24", "a reserved address"},
	{"192.168.0.0/16", "a private address"},
	{"198.18.0.0/15", "a reserved address"},
	{"198.51.100.0/24", "a reserved address"},
	{"203.0.113.0/24", "a reserved address"},
	{"224.0.0.0/4", "a multicast address"},
	{"240.0.0.0/4", "a reserved address"},
	{"::/128", "an unspecified address"},
	{"::1/128", "a loopback address"},
	{"::ffff:0:0/96", "an IPv4 address inside IPv6"},
	{"::/96", "an IPv4 address inside IPv6"},
	{"::ffff:0:0:0/96", "an IPv4 address inside IPv6"},
	{"64:ff9b::/96", "an IPv4 address inside IPv6 (NAT64)"},
	{"64:ff9b:1::/48", "an IPv4 address inside IPv6 (NAT64)"},
	{"2002::/16", "an IPv4 address inside IPv6 (6to4)"},
	{"2001::/23", "a reserved address"},
	{"2001:db8::/32", "a reserved address"},
	{"100::/64", "a reserved address"},
	{"3fff::/20", "a reserved address"},
	{"5f00::/16", "a reserved address"},
	{"fc00::/7", "a private address"},
	{"fe80::/10", "a link-local address"},
	{"fec0::/10", "a private address"},
	{"ff00::/8", "a multicast address"},
}

// inside says what kind of address addr is, if it is one that is dialled only when it is
// listed itself. It is "" for a public address.
func inside(addr netip.Addr) string {
	for _, r := range reserved {
		// Prefix.Contains never matches an IPv4-mapped address, so it is
		// compared by its bits here.
		block := netip.MustParsePrefix(r.block)
		if same, err := addr.Prefix(block.Bits()); err == nil && addr.Is4() == block.Addr().Is4() &&
			same.Addr() == block.Masked().Addr() {
			return r.what
		}
	}
	return ""
}

// ownAddress reports whether addr belongs to this machine.
func ownAddress(addr netip.Addr) (bool, error) {
	list, err := net.InterfaceAddrs()
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().WithZone("") == addr {
			return true, nil
		}
	}
	return false, err
}

// judgeAddress returns why addr, to which h leads, may not be dialled at the port, or nil.
func (p *Allowlist) judgeAddress(h host, addr netip.Addr, port uint16) error {
	if p.allows(host{addr: addr}, port) == nil || thisHost(h.name) && addr.IsLoopback() {
		return nil
	}
	what := inside(addr)
	if what == "" {
		own, err := ownAddress(addr)
		if err != nil {
			return fmt.Errorf("the addresses of this machine can't be read: %w", err)
		}
		if !own {
			return nil
		}
		what = "an address of this machine"
	}
	if h.addr.IsValid() {
		return fmt.Errorf("%s is %s", addr, what)
	}
	return fmt.Errorf("%s leads to %s, %s, which must be listed itself", h, addr, what)
}
