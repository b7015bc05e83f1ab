package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// A place is where a connection leads already: what a captured or tunnelled
// plain request may ask for.
type place struct {
	host host // none when only the request's Host tells
	port uint16
}

// serveHTTP serves one request. With at, the client believes that it talks to
// the server itself; without it, to a proxy.
func (c *client) serveHTTP(at *place) {
	h, err := readRequest(c.r)
	if err != nil {
		if err != io.EOF && !isTimeout(err) {
			t := c.trip("")
			defer t.log()
			t.reject(err)
		}
		return
	}
	t := c.trip(h.first[0])
	t.asked = h.first[1]
	if at == nil && !c.s.permitted(h.credentials()) {
		t.challenge()
		t.log()
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

// credentials is the user:password of Proxy-Authorization, or "".
func (h *head) credentials() string {
	value, _, err := h.get("Proxy-Authorization")
	if err != nil {
		return ""
	}
	return basic(value)
}

// serveConnect serves a tunnel. Port and Host must say the same.
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
		t.log()
		return
	}
	t.tunnel(t.fail, func() error {
		_, err := io.WriteString(c.conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		return err
	})
}

// target reads where a plain request goes, into t, and the path it asks for.
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
	if strings.Contains(path, "#") {
		return "", errors.New("a fragment in the request line")
	}
	if t.host, t.port, err = parseHostPort(authority, port); err != nil {
		return "", err
	}
	if at != nil && (t.port != at.port || (at.host != host{} && at.host != t.host)) {
		return "", fmt.Errorf("the request asks for %s, the connection is to %s", authority, at.host)
	}
	return path, h.sameHost(t.host, t.port, port)
}

// cutPath parts the authority of an absolute URL from the rest.
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

// cutFold cuts a prefix off whatever its case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// sameHost says whether Host, if it is there, names the host and port.
func (h *head) sameHost(want host, port, otherwise uint16) error {
	value, ok, err := h.get("Host")
	if err != nil || !ok {
		return err
	}
	got, gotPort, err := parseHostPort(value, otherwise)
	if err != nil {
		return fmt.Errorf("Host: %w", err)
	}
	if got != want || gotPort != port {
		return errors.New("Host and the request line name different hosts")
	}
	return nil
}

// forward sends a plain request on and its response back.
func (t *trip) forward(h *head, path string) {
	f, err := h.framing()
	var fields []field
	if err == nil {
		fields, err = h.endToEnd()
	}
	if err != nil {
		t.reject(err)
		return
	}
	upgrade := h.wantsWebSocket() && f == framing{}
	in := t.s.injection(t.host, t.port)
	up, err := t.reach(in)
	if err != nil {
		t.fail(err)
		return
	}
	defer up.Close()
	usual := uint16(80)
	if in != nil {
		usual = 443
	}
	fields = t.rewrite(fields, f, upgrade, usual)
	if in != nil {
		fields = in.with(fields)
	}
	t.conn.SetDeadline(time.Time{})
	n, err := up.Write(appendHead(nil, t.method+" "+path+" "+h.first[2], fields))
	t.up = int64(n)
	if err != nil {
		t.fail(err)
		return
	}
	t.exchange(up, f, upgrade)
}

// reach connects to the host of a plain request: as it is, or by TLS when a
// header goes in.
func (t *trip) reach(in *Inject) (net.Conn, error) {
	if in == nil {
		if err := t.s.Policy.allows(t.host, t.port); err != nil {
			return nil, refuse(err)
		}
		return t.dial()
	}
	t.port, t.inject = in.port, in.header
	up, err := t.dial()
	if err != nil {
		return nil, err
	}
	return t.s.secure(t.ctx, up, t.host.String())
}

// wantsWebSocket says whether the request asks to go on as a WebSocket, the one
// upgrade that passes: h2c would carry requests that nobody here reads.
func (h *head) wantsWebSocket() bool {
	value, _, err := h.get("Upgrade")
	return err == nil && strings.EqualFold(value, "websocket")
}

// rewrite is the fields that go to the server: Host as it was judged, and the
// framing as it was read. Host has no port when it is the scheme's usual one.
func (t *trip) rewrite(fields []field, f framing, upgrade bool, usual uint16) []field {
	name := t.host.String()
	if t.host.addr.Is6() {
		name = "[" + name + "]"
	}
	if t.port != usual {
		name = fmt.Sprintf("%s:%d", name, t.port)
	}
	list := []field{{"Host", name}}
	for _, fd := range fields {
		if !strings.EqualFold(fd.name, "Host") {
			list = append(list, fd)
		}
	}
	if f.chunked {
		list = append(list, field{"Transfer-Encoding", "chunked"})
	}
	if upgrade {
		return append(list, field{"Upgrade", "websocket"}, field{"Connection", "Upgrade"})
	}
	return append(list, field{"Connection", "close"})
}

// exchange sends the body while it brings the response. When the client goes
// away the server's connection is closed too.
func (t *trip) exchange(up net.Conn, f framing, upgrade bool) {
	sent := make(chan error, 1)
	if upgrade {
		sent <- nil
	} else {
		go func() {
			n, err := copyBody(up, t.r, f)
			t.up += n
			if err == nil {
				_, err = t.r.Peek(1)
			}
			if err != nil {
				up.Close()
			}
			sent <- err
		}()
	}
	err := t.respond(up, upgrade)
	up.Close() // a server that has answered may have stopped to read
	t.conn.SetReadDeadline(time.Now())
	if body := <-sent; err != nil && errors.Is(body, errChunk) {
		err = body
	}
	t.ended(err)
}

// respond brings the response: its head without the fields of one hop, its body
// as it comes until the server ends the connection, which it was asked to.
func (t *trip) respond(up net.Conn, upgrade bool) error {
	r := bufio.NewReader(up)
	for {
		h, status, err := readResponse(r)
		if err != nil {
			t.fail(err)
			return err
		}
		final := status >= 200
		b := h.response(final, status == 101)
		if _, err = t.conn.Write(b); err != nil {
			return err
		}
		t.down += int64(len(b))
		if status == 101 && upgrade {
			return t.splice(up, r, nothing)
		}
		if final || status == 101 {
			n, err := r.WriteTo(t.conn)
			t.down += n
			if err != nil {
				cutOff(t.conn)
			}
			return err
		}
	}
}

// response is the bytes of a response's head for the client.
func (h *head) response(final, upgraded bool) []byte {
	var fields []field
	for _, f := range h.fields {
		if !hop(f.name) || strings.EqualFold(f.name, "Transfer-Encoding") {
			fields = append(fields, f)
		}
	}
	switch {
	case upgraded:
		fields = append(fields, field{"Upgrade", "websocket"}, field{"Connection", "Upgrade"})
	case final:
		fields = append(fields, field{"Connection", "close"})
	}
	return appendHead(nil, "HTTP/1.1 "+h.first[1]+" "+h.first[2], fields)
}
