package proxy

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"ua/internal/common/execwrap"
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
	h, err := readHead(c.r)
	if err != nil {
		if err != io.EOF && !isTimeout(err) && !errors.Is(err, net.ErrClosed) {
			c.trip("").reject(err)
		}
		return
	}
	t := c.trip(h.method)
	t.asked = h.target
	if at == nil && !c.s.permitted(h.credentials()) {
		t.challenge()
		return
	}
	if !c.keep(h.credentials()) {
		return
	}
	switch {
	case at == nil && h.method == "GET" && h.target == execwrap.RefusedURL:
		t.logged = true // it is no request of the network
		t.answer(200, "OK", c.s.refused.text())
	case at == nil && h.method == "GET" && h.target == execwrap.LeaseURL:
		t.lease(h.credentials())
	case at == nil && h.method == "CONNECT":
		t.serveConnect(h)
	default:
		defer t.log()
		uri, err := t.readTarget(h, at)
		if err != nil {
			t.reject(err)
			return
		}
		t.forward(h, uri)
	}
}

// serveConnect serves a tunnel. The request line and Host must name the same host and
// port.
func (t *trip) serveConnect(h *head) {
	var err error
	if t.host, t.port, err = parseHostPort(h.target, 0); err == nil {
		err = h.sameHost(t.host, t.port, t.port)
	}
	if err == nil && h.length != 0 {
		err = errors.New("CONNECT with a body")
	}
	if err != nil {
		t.reject(err)
		return
	}
	t.tunnel()
}

// readTarget reads the destination of a plain request into t, and returns the URL that is
// asked for. Whatever could be read in two ways is an error.
func (t *trip) readTarget(h *head, at *place) (*url.URL, error) {
	// Fragments are never sent (RFC 9110, section 4.2.5), so readers differ on what it
	// means.
	if strings.Contains(h.target, "#") {
		return nil, errors.New("a fragment in the request line")
	}
	uri, err := url.ParseRequestURI(h.target)
	if err != nil {
		return nil, fmt.Errorf("a malformed URL: %w", errors.Unwrap(err))
	}
	own := at != nil && strings.HasPrefix(h.target, "/")
	switch {
	case uri.Scheme == "https":
		return nil, errors.New("https goes through a proxy by CONNECT")
	case uri.User != nil:
		return nil, errUserinfo
	case !own && (uri.Scheme != "http" || uri.Host == ""):
		return nil, errors.New("this is a proxy: the request line needs a whole http URL")
	}
	port, authority := uint16(80), uri.Host
	if at != nil {
		port = at.port
	}
	if own {
		authority = h.fields.Get("Host")
	}
	if t.host, t.port, err = parseHostPort(authority, port); err != nil {
		return nil, err
	}
	// What the client asks for must be where the connection leads.
	if at != nil && (t.port != at.port || (at.host != host{} && at.host != t.host)) {
		return nil, fmt.Errorf("the request asks for %s, the connection is to %s", authority,
			at.host)
	}
	return uri, h.sameHost(t.host, t.port, port)
}

// permitted reports whether the credentials are the proxy's own or those of a valid
// lease. The comparison takes the same time for all credentials.
func (s *Server) permitted(credentials string) bool {
	if subtle.ConstantTimeCompare([]byte(credentials), []byte("ua:"+s.Secret)) == 1 {
		return true
	}
	start, id, _ := strings.Cut(credentials, "-")
	own := "ua:" + execwrap.LeaseStart(s.Secret)
	return subtle.ConstantTimeCompare([]byte(start), []byte(own)) == 1 && s.leases.holds(id)
}

// lease answers with new credentials. They are valid until the client closes the
// connection or sends anything more.
func (t *trip) lease(credentials string) {
	_, above, _ := strings.Cut(credentials, "-")
	id := t.s.leases.hold(above)
	defer t.s.leases.end(id)
	t.logged = true // it is no request of the network
	t.answer(200, "OK", "ua:"+execwrap.LeaseStart(t.s.Secret)+"-"+id+"\n")
	t.conn.SetDeadline(time.Time{})
	_, _ = t.r.ReadByte()
}
