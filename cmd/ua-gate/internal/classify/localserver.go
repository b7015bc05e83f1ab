package classify

import (
	"net/netip"
	"strings"
)

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
