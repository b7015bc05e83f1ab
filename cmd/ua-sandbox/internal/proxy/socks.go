package proxy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
)

// The replies of SOCKS5 (RFC 1928, section 6).
const (
	socksDone        = 0
	socksRefused     = 2
	socksUnreachable = 4
	socksNoCommand   = 7
	socksNoAddress   = 8
)

// errSOCKS is the error for bytes that are no SOCKS5.
var errSOCKS = errors.New("malformed SOCKS5")

// serveSOCKS serves one SOCKS5 connection: authentication by user name and password (RFC
// 1929), and then CONNECT. Names are resolved here, which clients call socks5h.
func (c *client) serveSOCKS() {
	t := c.trip("SOCKS")
	credentials, ok, err := c.socksAuth()
	if err == nil && !ok {
		t.denied, t.reason = true, "no proxy credentials"
		t.log()
		return
	}
	command := byte(0)
	if err == nil {
		command, err = t.socksRequest()
	}
	if errors.Is(err, errSOCKS) {
		t.denied, t.reason = true, err.Error()
		t.log()
	}
	switch {
	case err != nil:
	case !c.keep(credentials):
	case command != 1:
		c.socksReply(socksNoCommand)
		t.denied, t.reason = true, "SOCKS5 BIND and UDP are not served"
		t.log()
	default:
		t.tunnel(t.socksFail, func() error { return c.socksReply(socksDone) })
	}
}

// socksAuth reads the greeting and the credentials. ok says that they are valid.
func (c *client) socksAuth() (credentials string, ok bool, err error) {
	greeting, err := c.read(2)
	if err != nil {
		return "", false, err
	}
	methods, err := c.read(int(greeting[1]))
	if err != nil {
		return "", false, err
	}
	const password = 2
	offered := false
	for _, m := range methods {
		offered = offered || m == password
	}
	// 0xff: no acceptable method (RFC 1928, section 3).
	if !offered {
		_, err = c.conn.Write([]byte{5, 0xff})
		return "", false, err
	}
	if _, err = c.conn.Write([]byte{5, password}); err != nil {
		return "", false, err
	}
	version, err := c.read(1)
	if err != nil {
		return "", false, err
	}
	user, err := c.counted()
	if err != nil {
		return "", false, err
	}
	word, err := c.counted()
	if err != nil {
		return "", false, err
	}
	credentials = string(user) + ":" + string(word)
	if version[0] != 1 || !c.s.permitted(credentials) {
		_, err = c.conn.Write([]byte{1, 1})
		return "", false, err
	}
	_, err = c.conn.Write([]byte{1, 0})
	return credentials, true, err
}

// socksRequest reads the command and the destination.
func (t *trip) socksRequest() (command byte, err error) {
	b, err := t.read(4)
	if err != nil {
		return 0, err
	}
	if b[0] != 5 || b[2] != 0 {
		return 0, errSOCKS
	}
	command = b[1]
	switch b[3] {
	// An IPv4 or an IPv6 address; 3 is a name (RFC 1928, section 5).
	case 1, 4:
		size := 4
		if b[3] == 4 {
			size = 16
		}
		if b, err = t.read(size); err != nil {
			return 0, err
		}
		t.host.addr, _ = netip.AddrFromSlice(b)
	case 3:
		if b, err = t.counted(); err != nil {
			return 0, err
		}
		t.asked = string(b)
		if t.host, err = parseHost(t.asked); err != nil {
			t.socksReply(socksRefused)
			return 0, fmt.Errorf("%w: %w", errSOCKS, err)
		}
	default:
		t.socksReply(socksNoAddress)
		return 0, errSOCKS
	}
	if b, err = t.read(2); err != nil {
		return 0, err
	}
	t.port = binary.BigEndian.Uint16(b)
	return command, nil
}

// socksFail answers with the reply that fits err. SOCKS has no room for a reason.
func (t *trip) socksFail(err error) {
	t.note(err)
	t.log()
	if t.denied {
		t.socksReply(socksRefused)
	} else {
		t.socksReply(socksUnreachable)
	}
}

// socksReply sends a reply. The bound address in it is zero: no client needs it for
// CONNECT.
func (c *client) socksReply(reply byte) error {
	_, err := c.conn.Write([]byte{5, reply, 0, 1, 0, 0, 0, 0, 0, 0})
	return err
}

// read reads n bytes from the client.
func (c *client) read(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(c.r, b)
	return b, err
}

// counted reads a byte n and then n bytes.
func (c *client) counted() ([]byte, error) {
	n, err := c.read(1)
	if err != nil {
		return nil, err
	}
	return c.read(int(n[0]))
}
