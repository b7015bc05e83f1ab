package proxy

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// recordHello is the content type of handshake records (RFC 8446, section 5.1).
const recordHello = 22

var (
	// Why a client hello is refused.
	errNotTLS = errors.New("not TLS")
	errHello  = errors.New("a malformed TLS client hello")
	errNoName = errors.New("a TLS client hello without a server name")
)

// readHello reads the records of a TLS client hello. raw holds every byte that was read,
// to be sent on. A hello may be split over several records.
func readHello(r io.Reader) (raw []byte, name string, err error) {
	var message []byte
	for {
		at := len(raw)
		raw = append(raw, make([]byte, 5)...)
		if _, err = io.ReadFull(r, raw[at:at+1]); err != nil {
			return nil, "", err
		}
		if raw[at] != recordHello {
			return nil, "", errNotTLS
		}
		if _, err = io.ReadFull(r, raw[at+1:]); err != nil {
			return nil, "", err
		}
		size := int(binary.BigEndian.Uint16(raw[at+3:]))
		if raw[at+1] != 3 || size == 0 || len(raw)+size > maxHello {
			return nil, "", errHello
		}
		raw = append(raw, make([]byte, size)...)
		if _, err = io.ReadFull(r, raw[at+5:]); err != nil {
			return nil, "", err
		}
		message = append(message, raw[at+5:]...)
		// Checked at once, so that no other handshake message is collected.
		if message[0] != 1 { // client_hello
			return nil, "", errHello
		}
		if len(message) < 4 {
			continue
		}
		want := 4 + (int(message[1])<<16 | int(message[2])<<8 | int(message[3]))
		if len(message) >= want {
			if len(message) > want {
				return nil, "", errHello // nothing else may follow before the answer
			}
			name, err = serverName(message[4:])
			return raw, name, err
		}
	}
}

// serverName returns the server_name in the body of a client hello (RFC 8446, section
// 4.1.2; RFC 6066, section 3) in lower case, or "". A second one is an error, since the
// server might use the other.
func serverName(b []byte) (name string, err error) {
	s := cut{b, true}
	s.take(2 + 32) // version, random
	s.vector(1)    // session
	s.vector(2)    // cipher suites
	s.vector(1)    // compression
	if !s.ok {
		return "", errHello
	}
	if len(s.b) == 0 {
		return "", nil
	}
	extensions := cut{s.vector(2), s.ok}
	if len(s.b) > 0 {
		return "", errHello
	}
	for found := false; extensions.ok && len(extensions.b) > 0; {
		kind, body := extensions.take(2), cut{extensions.vector(2), true}
		if !extensions.ok || kind[0] != 0 || kind[1] != 0 {
			continue
		}
		list := cut{body.vector(2), true}
		nameType := list.take(1)
		text := list.vector(2)
		if found || !body.ok || !list.ok || len(body.b)+len(list.b) > 0 || nameType[0] != 0 ||
			len(text) == 0 {
			return "", errHello
		}
		found, name = true, strings.ToLower(string(text))
	}
	if !extensions.ok {
		return "", errHello
	}
	return name, nil
}

// A cut takes bytes from the front of b. ok becomes false when there are too few.
type cut struct {
	b  []byte
	ok bool
}

// take returns the next n bytes, or nil.
func (c *cut) take(n int) []byte {
	if !c.ok || len(c.b) < n {
		c.ok, c.b = false, nil
		return nil
	}
	part := c.b[:n]
	c.b = c.b[n:]
	return part
}

// vector reads a length of size bytes, and returns as many bytes as it says.
func (c *cut) vector(size int) []byte {
	n := 0
	for _, b := range c.take(size) {
		n = n<<8 | int(b)
	}
	return c.take(n)
}
