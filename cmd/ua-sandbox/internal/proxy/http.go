package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"ua/internal/common/chain"
)

// A place is where a connection already leads, and thus what a captured or tunnelled
// plain request may ask for.
type place struct {
	host host // none when only the request's Host tells
	port uint16
}

// serveHTTP serves one request. With at the client believes that it is connected to the
// server itself, without at that it is connected to a proxy.
func (c *client) serveHTTP(at *place) {
	h, err := readRequest(c.r)
	if err != nil {
		if err != io.EOF && !isTimeout(err) && !errors.Is(err, net.ErrClosed) {
			c.trip("").reject(err)
		}
		return
	}
	t := c.trip(h.first[0])
	t.asked = h.first[1]
	if at == nil && !c.s.permitted(h.credentials()) {
		t.challenge()
		return
	}
	if !c.keep(h.credentials()) {
		return
	}
	if at == nil && t.method == "GET" && t.asked == chain.RefusedURL {
		t.logged = true // it is no request of the network
		t.answer(200, "OK", c.s.refused.text())
		return
	}
	if at == nil && t.method == "GET" && t.asked == chain.LeaseURL {
		t.lease(h.credentials())
		return
	}
	if at == nil && t.method == "CONNECT" {
		c.serveConnect(t, h)
		return
	}
	defer t.log()
	path, err := t.target(h, at)
	if err != nil {
		t.reject(err)
		return
	}
	t.forward(h, path)
}

// credentials returns the user:password in Proxy-Authorization, or "".
func (h *head) credentials() string {
	value, _, err := h.get("Proxy-Authorization")
	if err != nil {
		return ""
	}
	return basic(value)
}

// serveConnect serves a tunnel. The request line and Host must name the same host and
// port.
func (c *client) serveConnect(t *trip, h *head) {
	var err error
	if t.host, t.port, err = parseHostPort(h.first[1], 0); err == nil {
		err = h.sameHost(t.host, t.port, t.port)
	}
	if f, e := h.framing(); err == nil && (e != nil || f != framing{}) {
		err = errors.New("CONNECT with a body")
	}
	if err != nil {
		t.reject(err)
		return
	}
	t.tunnel(t.fail, func() error {
		_, err := io.WriteString(c.conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		return err
	})
}

// target reads the destination of a plain request into t, and returns the path that is
// asked for. Whatever could be read in two ways is an error.
func (t *trip) target(h *head, at *place) (path string, err error) {
	uri := h.first[1]
	absolute, isAbsolute := cutFold(uri, "http://")
	if !isAbsolute && (at == nil || !strings.HasPrefix(uri, "/")) {
		if _, ok := cutFold(uri, "https://"); ok {
			return "", errors.New("https goes through a proxy by CONNECT")
		}
		return "", errors.New("this is a proxy: the request line needs a whole http URL")
	}
	port := uint16(80)
	if at != nil {
		port = at.port
	}
	authority := absolute
	if isAbsolute {
		authority, path = cutPath(absolute)
	} else {
		path = uri
		if authority, _, err = h.get("Host"); err != nil {
			return "", err
		}
	}
	// Fragments are never sent (RFC 9110, section 4.2.5), so readers differ on what it
	// means.
	if strings.Contains(path, "#") {
		return "", errors.New("a fragment in the request line")
	}
	if t.host, t.port, err = parseHostPort(authority, port); err != nil {
		return "", err
	}
	// What the client asks for must be where the connection leads.
	if at != nil && (t.port != at.port || (at.host != host{} && at.host != t.host)) {
		return "", fmt.Errorf("the request asks for %s, the connection is to %s", authority,
			at.host)
	}
	return path, h.sameHost(t.host, t.port, port)
}

// cutPath separates the authority of an absolute URL from the rest.
func cutPath(s string) (authority, path string) {
	at := strings.IndexAny(s, "/?#")
	if at < 0 {
		return s, "/"
	}
	if s[at] == '/' {
		return s[:at], s[at:]
	}
	return s[:at], "/" + s[at:]
}

// cutFold is strings.CutPrefix without regard to case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// sameHost returns an error if there is a field Host that names another host or port.
func (h *head) sameHost(want host, port, otherwise uint16) error {
	value, ok, err := h.get("Host")
	if err != nil || !ok {
		return err
	}
	got, gotPort, err := parseHostPort(value, otherwise)
	if err != nil {
		return fmt.Errorf("the field Host: %w", err)
	}
	if got != want || gotPort != port {
		return errors.New("the field Host and the request line name different hosts")
	}
	return nil
}
