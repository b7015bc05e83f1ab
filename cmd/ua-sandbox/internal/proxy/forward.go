package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// forward sends a plain request on and its response back. What goes out is written anew
// from what was read, so that the server cannot read something else in it.
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
	defer t.hold(up)()
	// An injected header goes out by https.
	usual := uint16(80)
	if in != nil {
		usual = 443
	}
	fields = t.rewrite(fields, f, upgrade, usual)
	if in != nil {
		fields = in.with(fields)
	}
	t.conn.SetDeadline(time.Time{})
	n, err := up.Write(headBytes(t.method+" "+path+" "+h.first[2], fields))
	t.up = int64(n)
	if err != nil {
		t.fail(err)
		return
	}
	t.exchange(up, f, upgrade)
}

// reach connects to the host of a plain request: directly, or with TLS if a header is
// injected.
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

// wantsWebSocket reports whether the request asks for a WebSocket (RFC 6455). That is the
// only upgrade that passes: h2c would carry requests that nobody here reads.
func (h *head) wantsWebSocket() bool {
	value, _, err := h.get("Upgrade")
	return err == nil && strings.EqualFold(value, "websocket")
}

// rewrite returns the fields for the server, with Host as it was judged and framing as it
// was read. Host has no port if that is the usual one of the scheme.
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

// exchange sends the body while it receives the response. If the client goes away, the
// connection to the server is closed too.
func (t *trip) exchange(up net.Conn, f framing, upgrade bool) {
	sent := make(chan error, 1)
	if upgrade {
		sent <- nil // the client's next bytes are no body
	} else {
		go func() { sent <- t.send(up, f) }()
	}
	begun, err := t.respond(up, upgrade)
	up.Close() // a server that has answered may have stopped to read
	t.conn.SetReadDeadline(time.Now())
	body := <-sent
	switch {
	case begun:
		t.ended(err)
	case errors.Is(body, errChunk):
		t.reject(body)
	case clientGone(body):
		t.note(errGone)
	default:
		t.fail(err)
	}
}

// send sends the body of a request and then waits until the client goes away or sends
// more, which is discarded.
func (t *trip) send(up net.Conn, f framing) error {
	n, err := copyBody(up, t.r, f)
	t.up += n
	if err == nil {
		_, err = t.r.Peek(1)
	}
	if err != nil {
		up.Close()
	}
	return err
}

// errGone is the error for a client that has closed its connection.
var errGone = errors.New("the client went away")

// clientGone reports whether reading from a client failed because the client has ended.
func clientGone(err error) bool {
	var op *net.OpError
	reset := errors.As(err, &op) && op.Op == "read" && errors.Is(err, syscall.ECONNRESET)
	return reset || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// respond passes on the response: its head without hop-by-hop fields, and its body until
// the server closes the connection, which it was asked to do. begun says that the head
// has been sent to the client.
func (t *trip) respond(up net.Conn, upgrade bool) (begun bool, err error) {
	r := bufio.NewReader(up)
	for {
		h, status, err := readResponse(r)
		if err == nil && status == 101 && !upgrade {
			err = errors.New("the server answers an upgrade that nobody asked for")
		}
		if err != nil {
			return false, err
		}
		b := h.response(status)
		if _, err = t.conn.Write(b); err != nil {
			return true, err
		}
		t.down += int64(len(b))
		if status == 101 {
			return true, t.splice(up, r, nothing)
		}
		// An interim response, such as 100 Continue, is followed by another one.
		if status < 200 {
			continue
		}
		n, err := r.WriteTo(t.conn)
		t.down += n
		if err != nil {
			cutOff(t.conn)
		}
		return true, err
	}
}

// response returns the head of a response for the client.
func (h *head) response(status int) []byte {
	var fields []field
	for _, f := range h.fields {
		if !hop(f.name) || strings.EqualFold(f.name, "Transfer-Encoding") {
			fields = append(fields, f)
		}
	}
	switch {
	case status == 101:
		fields = append(fields, field{"Upgrade", "websocket"}, field{"Connection", "Upgrade"})
	case status >= 200:
		fields = append(fields, field{"Connection", "close"})
	}
	return headBytes("HTTP/1.1 "+h.first[1]+" "+h.first[2], fields)
}
