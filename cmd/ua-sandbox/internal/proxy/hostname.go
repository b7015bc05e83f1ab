package proxy

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// A host is a name or an address, in the only form in which hosts are compared.
type host struct {
	name string     // lower case, no trailing dot; "" for an address
	addr netip.Addr // without a zone
}

// String returns the name or the address.
func (h host) String() string {
	if h.addr.IsValid() {
		return h.addr.String()
	}
	return h.name
}

var (
	// Why a text is no host or port. A refusal quotes them.
	errNoHost    = errors.New("no host")
	errBadPort   = errors.New("the port is not a number from 1 to 65535")
	errBadName   = errors.New("not a host name")
	errNotASCII  = errors.New("a name outside ASCII: write its xn-- form")
	errUserinfo  = errors.New("a host has no user name or password")
	errZone      = errors.New("an address with a zone")
	errOddNumber = errors.New("not a plain address: IPv4 is four decimal numbers without leading " +
		"zeros")
)

// parseHost parses a name, an IPv4 address or an IPv6 address, with brackets or without.
// Names are those of RFC 1123, and may have underscores. Text that a C library takes for
// an IPv4 address although it is not written as one (127.1, 0x7f.1, 2130706433) is an
// error and never a name. Two readers must not differ on where it leads.
func parseHost(s string) (host, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if !ok || !strings.Contains(inner, ":") {
			return host{}, errBadName
		}
		s = inner
	}
	if strings.Contains(s, ":") {
		addr, err := netip.ParseAddr(s)
		if err != nil {
			return host{}, errBadName
		}
		if addr.Zone() != "" {
			return host{}, errZone
		}
		return host{addr: addr}, nil
	}
	name := strings.ToLower(strings.TrimSuffix(s, "."))
	// Four plain decimal numbers, or nothing.
	if endsInNumber(name) {
		addr, err := netip.ParseAddr(name)
		if err != nil || name != s {
			return host{}, errOddNumber
		}
		return host{addr: addr}, nil
	}
	return host{name: name}, checkName(name)
}

// endsInNumber reports whether the last label makes some readers take the name for an
// IPv4 address (WHATWG URL, section 3.5, "ends in a number").
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// checkName returns what is wrong with a lower-case name, or nil.
func checkName(name string) error {
	switch {
	case name == "":
		return errNoHost
	case strings.Contains(name, "@"):
		return errUserinfo
	case len(name) > 253:
		return errBadName
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return errBadName
		}
		for _, c := range []byte(label) {
			if c >= 0x80 {
				return errNotASCII
			}
			if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
				return errBadName
			}
		}
	}
	return nil
}

// splitPort splits off the port of HOST, HOST:PORT, [IPv6]:PORT, [IPv6] or a bare IPv6
// address. The port is 0 if there is none.
func splitPort(s string) (text string, port uint16, err error) {
	at := strings.LastIndexByte(s, ':')
	if at < 0 || strings.HasSuffix(s, "]") || (strings.Count(s, ":") > 1 && s[0] != '[') {
		return s, 0, nil
	}
	n, err := parsePort(s[at+1:])
	return s[:at], n, err
}

// parsePort parses a port without sign and leading zeros.
func parsePort(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || s[0] < '1' || s[0] > '9' {
		return 0, errBadPort
	}
	return uint16(n), nil
}

// parseHostPort parses HOST:PORT. Without a port it returns otherwise.
func parseHostPort(s string, otherwise uint16) (host, uint16, error) {
	text, port, err := splitPort(s)
	if err != nil {
		return host{}, 0, err
	}
	if port == 0 {
		port = otherwise
	}
	if port == 0 {
		return host{}, 0, errBadPort
	}
	h, err := parseHost(text)
	return h, port, err
}
