package proxy

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseAllowlist(t *testing.T) {
	for _, tt := range []struct{ item, want string }{
		{"Example.COM", "example.com"},
		{"example.com.", "example.com"},
		{"example.com:8080", "example.com:8080"},
		{"*.example.com", "*.example.com"},
		{"*.example.com:22", "*.example.com:22"},
		{"*", "*"},
		{"*:8443", "*:8443"},
		{"10.0.0.1", "10.0.0.1"},
		{"10.0.0.1:5432", "10.0.0.1:5432"},
		{"::1", "[::1]"},
		{"[::1]", "[::1]"},
		{"[fd00::0:1]:9000", "[fd00::1]:9000"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"my_registry", "my_registry"},
	} {
		p, err := parseAllowlist([]string{tt.item}, presets{})
		if err != nil {
			t.Errorf("%q: %v", tt.item, err)
		} else if got := strings.Join(p.Hosts(), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.item, got, tt.want)
		}
	}
}

func TestParseAllowlistErrors(t *testing.T) {
	for _, tt := range []struct{ item, want string }{
		{"", "no host"},
		{":80", "no host"},
		{"https://example.com", "not a URL"},
		{"example.com/path", "not a host name"},
		{"example.com:0", "port"},
		{"example.com:65536", "port"},
		{"example.com:+80", "port"},
		{"example.com:080", "port"},
		{"example.com:", "port"},
		{"user@example.com", "user name"},
		{"bücher.example", "xn--"},
		{"a..b", "not a host name"},
		{"-a.example", "not a host name"},
		{"exa mple.com", "not a host name"},
		{"127.1", "plain address"},
		{"0x7f.0.0.1", "plain address"},
		{"0177.0.0.1", "plain address"},
		{"2130706433", "plain address"},
		{"127.0.0.1.", "plain address"},
		{"1.2.3.4.5", "plain address"},
		{"example.0x7f", "plain address"},
		{"fe80::1%eth0", "zone"},
		{"[example.com]", "not a host name"},
		{"*.10.0.0.1", "no names below"},
		{"*.*.example.com", "not a host name"},
		{"a*.example.com", "not a host name"},
		{"**", "not a host name"},
	} {
		_, err := parseAllowlist([]string{tt.item}, presets{dir: t.TempDir(), root: t.TempDir(),
			getenv: func(string) string {
				return ""
			}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.item, err, tt.want)
		}
	}
}

// A preset that finds nothing on this machine names no host.
func TestEmptyPresets(t *testing.T) {
	p, err := parseAllowlist([]string{"git"},
		presets{dir: t.TempDir(), root: t.TempDir(), getenv: func(string) string {
			return ""
		}})
	if err != nil || len(p.rules) != 0 {
		t.Errorf("%v, %v", p, err)
	}
}

func TestAllows(t *testing.T) {
	hosts := []string{"a.example", "*.b.example:8080", "10.1.2.3:5432", "::1"}
	p, err := parseAllowlist(hosts, presets{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ target, want string }{
		{"a.example:443", ""},
		{"a.example:80", ""},
		{"A.Example.:80", ""},
		{"a.example:22", "port 80, 443 only"},
		{"x.a.example:443", "not among the allowed"},
		{"xa.example:443", "not among the allowed"},
		{"a.example.evil:443", "not among the allowed"},
		{"x.b.example:8080", ""},
		{"x.y.b.example:8080", ""},
		{"b.example:8080", "not among the allowed"},
		{"xb.example:8080", "not among the allowed"},
		{"x.b.example:443", "port 8080 only"},
		{"10.1.2.3:5432", ""},
		{"10.1.2.3:80", "port 5432 only"},
		{"10.1.2.4:5432", "not among the allowed"},
		{"[::1]:80", ""},
		{"[0:0:0:0:0:0:0:1]:80", ""},
		{"[::ffff:10.1.2.3]:5432", "not among the allowed"},
	} {
		h, port, err := parseHostPort(tt.target, 0)
		if err != nil {
			t.Fatal(tt.target, err)
		}
		err = p.allows(h, port)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.target, err, tt.want)
		}
	}
}

// Every name counts for "*", but no address does.
func TestAllowsAll(t *testing.T) {
	p, _ := parseAllowlist([]string{"*"}, presets{})
	if err := p.allows(host{name: "any.example"}, 443); err != nil {
		t.Error(err)
	}
	p, _ = parseAllowlist([]string{"*", "*.internal"}, presets{})
	for _, name := range []string{"localhost", "host.internal"} {
		if p.allows(host{name: name}, 443) == nil || p.names(host{name: name}) {
			t.Error(name, "is allowed by a wildcard")
		}
	}
	for _, addr := range []string{"127.0.0.1", "93.184.216.34", "::1"} {
		if p.allows(host{addr: netip.MustParseAddr(addr)}, 443) == nil {
			t.Error(addr, "is allowed by *")
		}
	}
}

func TestInside(t *testing.T) {
	for _, tt := range []struct{ addr, want string }{
		{"93.184.216.34", ""},
		{"1.1.1.1", ""},
		{"2606:4700::1111", ""},
		{"172.15.0.1", ""},
		{"172.32.0.1", ""},
		{"0.0.0.0", "unspecified"},
		{"0.1.2.3", "unspecified"},
		{"127.0.0.1", "loopback"},
		{"127.255.0.9", "loopback"},
		{"10.0.0.1", "private"},
		{"172.16.0.1", "private"},
		{"172.31.255.255", "private"},
		{"192.168.1.1", "private"},
		{"100.64.0.1", "CGNAT"},
		{"100.127.255.255", "CGNAT"},
		{"100.100.100.200", "metadata"},
		{"169.254.1.1", "link-local"},
		{"169.254.169.254", "metadata"},
		{"168.63.129.16", "metadata"},
		{"192.0.0.192", "metadata"},
		{"198.19.0.1", "reserved"},
		{"224.0.0.1", "multicast"},
		{"255.255.255.255", "reserved"},
		{"::", "unspecified"},
		{"::1", "loopback"},
		{"::7f00:1", "inside IPv6"},
		{"::ffff:127.0.0.1", "inside IPv6"},
		{"::ffff:93.184.216.34", "inside IPv6"},
		{"::ffff:0:7f00:1", "inside IPv6"},
		{"64:ff9b::7f00:1", "NAT64"},
		{"64:ff9b:1::a00:1", "NAT64"},
		{"2002:7f00:1::", "6to4"},
		{"2001::1", "reserved"},
		{"2001:db8::1", "reserved"},
		{"fd00:ec2::254", "metadata"},
		{"fd12::1", "private"},
		{"fe80::1", "link-local"},
		{"fec0::1", "private"},
		{"ff02::1", "multicast"},
	} {
		got := inside(netip.MustParseAddr(tt.addr))
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.addr, got, tt.want)
		}
	}
}

// An own address that is no loopback one is found by looking.
func TestOwnAddress(t *testing.T) {
	if own, err := ownAddress(netip.MustParseAddr("127.0.0.1")); err != nil || !own {
		t.Errorf("127.0.0.1 is own: %v, %v", own, err)
	}
	if own, err := ownAddress(netip.MustParseAddr("192.0.2.77")); err != nil || own {
		t.Errorf("192.0.2.77 is own: %v, %v", own, err)
	}
}

func TestProtect(t *testing.T) {
	p, _ := parseAllowlist([]string{"a.example", "127.0.0.1:80", "[::ffff:10.0.0.1]"}, presets{})
	a := host{name: "a.example"}
	for _, tt := range []struct {
		h    host
		addr string
		port uint16
		want string
	}{
		{a, "93.184.216.34", 443, ""},
		{a, "127.0.0.1", 80, ""},
		{a, "127.0.0.1", 443,
			"a.example leads to 127.0.0.1, a loopback address, which must be listed itself"},
		{a, "10.0.0.1", 443, "private"},
		{host{name: "localhost"}, "127.0.0.1", 8080, ""},
		{host{name: "host.internal"}, "::1", 8080, ""},
		{host{name: "host.internal"}, "10.0.0.1", 8080, "private"},
		{host{name: "x.localhost"}, "127.0.0.1", 8080, "loopback"},
		{host{addr: netip.MustParseAddr("::ffff:10.0.0.1")}, "::ffff:10.0.0.1", 443, ""},
	} {
		err := p.judgeAddress(tt.h, netip.MustParseAddr(tt.addr), tt.port)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v %s %d: %v, want %q", tt.h, tt.addr, tt.port, err, tt.want)
		}
	}
}

func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"a.example", "[::1]", "127.1", "0x7f.1", "xn--a.b.", "::ffff:1.2.3.4",
		"fe80::1%1", "*", "a:1", "[::1]:22"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h, _, err := parseHostPort(s, 80)
		if err != nil {
			return
		}
		// The one form is stable, and can't stand for an IPv4 address elsewhere.
		again, err := parseHost(h.String())
		if err != nil || again != h {
			t.Fatalf("%q: %v, then %v (%v)", s, h, again, err)
		}
		if !h.addr.IsValid() && slices.ContainsFunc([]byte(h.name), func(c byte) bool {
			return c <= ' ' ||
				c >= 0x7f || c == '@' || c == ':' || c == '/' || c == '%'
		}) {
			t.Fatalf("%q: name %q", s, h.name)
		}
	})
}

// TestFollow: what the caller lists while the sandbox stands holds as long as it is listed, half a
// line does not, and the presets are those of the start.
func TestFollow(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "hosts"))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := parseAllowlist([]string{"a.example"}, presets{})
	p.Follow(f)
	for _, tt := range []struct {
		list, host string
		want       bool
	}{
		{"", "a.example", true}, {"", "b.example", false},
		{"b.example\n", "a.example", true}, {"b.example\n", "b.example", true},
		{"b.example", "b.example", false}, {"b.example\nc.exam", "c.exam", false},
		{"x y\n-\n\nb.example\n", "b.example", true}, {"*\n", "b.example", true},
		{"packages\n", "pypi.org", true}, {"", "pypi.org", false},
	} {
		f.Truncate(0)
		f.WriteAt([]byte(tt.list), 0)
		h := host{name: tt.host}
		if got := p.allows(h, 443) == nil; got != tt.want || p.names(h) != tt.want {
			t.Errorf("%q: %s is reached: %v", tt.list, tt.host, got)
		}
	}
}
