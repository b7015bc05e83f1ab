package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// forward sends a plain request on and its response back. net/http writes anew what was
// read, so that the server cannot read something else in it.
func (t *trip) forward(h *head, uri *url.URL) {
	in := injection(t.s.Inject, t.host, t.port)
	if in != nil && (strings.EqualFold(h.method, "TRACE") || strings.EqualFold(h.method, "TRACK")) {
		t.fail(refuse(errors.New("a server answers TRACE with the request, the secret in it")))
		return
	}
	if in != nil {
		t.port, t.inject = in.port, in.header
	} else if err := t.s.Allowlist.allows(t.host, t.port); err != nil {
		t.fail(refuse(err))
		return
	}
	up, err := t.dial()
	if err != nil {
		t.fail(err)
		return
	}
	t.conn.SetDeadline(time.Time{})
	ctx, lose := context.WithCancelCause(t.ctx)
	context.AfterFunc(ctx, func() { up.Close() })
	defer lose(nil)
	body := &upload{t: t, lose: lose}
	// A WebSocket is the only upgrade that passes (RFC 6455): h2c would carry requests that
	// nobody here reads.
	upgrade := strings.EqualFold(h.fields.Get("Upgrade"), "websocket") && h.length == 0
	req := t.outgoing(h, uri, in, body)
	if upgrade {
		req.Header.Set("Upgrade", "websocket")
		req.Header.Set("Connection", "Upgrade")
	} else if h.length == 0 {
		body.watching.Do(func() { go body.watch() })
	}
	begun, err := t.exchange(req, up, upgrade)
	lost := context.Cause(ctx)
	lose(nil) // a server that has answered may have stopped to read
	t.conn.SetReadDeadline(time.Now())
	switch {
	case begun:
		t.ended(err)
	case errors.Is(lost, errChunk):
		t.reject(lost)
	case clientGone(lost):
		t.note(errGone)
	default:
		t.fail(err)
	}
}

// maxHead is the most bytes that the head of a request or response may have.
const maxHead = 64 << 10

// exchange sends the request and passes on the response. begun says that the head of it has
// been sent to the client.
func (t *trip) exchange(req *http.Request, up net.Conn, upgrade bool) (begun bool, err error) {
	trace := &httptrace.ClientTrace{
		Got1xxResponse: func(code int, fields textproto.MIMEHeader) error {
			endToEnd(http.Header(fields))
			b := bytes.NewBufferString(fmt.Sprintf("HTTP/1.1 %d %s\r\n", code, http.StatusText(code)))
			http.Header(fields).Write(b)
			_, err := t.conn.Write(append(b.Bytes(), "\r\n"...))
			return err
		}}
	counted := func(context.Context, string, string) (net.Conn, error) { return counter{up, t}, nil }
	server := http.Transport{DialContext: counted, DisableKeepAlives: true, DisableCompression: true,
		MaxResponseHeaderBytes: maxHead, TLSHandshakeTimeout: t.s.timeout()}
	resp, err := server.RoundTrip(req.WithContext(httptrace.WithClientTrace(t.ctx, trace)))
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	endToEnd(resp.Header)
	resp.ProtoMajor, resp.ProtoMinor, resp.Close = 1, 1, true
	if resp.StatusCode == http.StatusSwitchingProtocols {
		far, ok := resp.Body.(io.ReadWriteCloser)
		if !ok || !upgrade {
			return false, errors.New("the server answered with an upgrade that was not requested")
		}
		resp.Header.Set("Upgrade", "websocket")
		resp.Header.Set("Connection", "Upgrade")
		resp.Body, resp.Close = nil, false
		if err = resp.Write(t.conn); err == nil {
			err = t.splice(far, nothing)
		}
		return true, err
	}
	if req.ProtoMinor == 0 {
		resp.TransferEncoding = nil // HTTP/1.0 knows no chunks
	}
	if err = resp.Write(t.conn); err != nil {
		cutOff(t.conn)
	}
	return true, err
}

// A counter is a connection to a server that counts the bytes for the event.
type counter struct {
	net.Conn
	t *trip
}

// Read counts what comes down.
func (c counter) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.t.down.Add(int64(n))
	return n, err
}

// Write counts what goes up.
func (c counter) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.t.up.Add(int64(n))
	return n, err
}

// CloseWrite ends the sending side alone.
func (c counter) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

// outgoing returns the request for the server, with the host as it was judged. An injected
// header goes out by https.
func (t *trip) outgoing(h *head, uri *url.URL, in *Inject, body *upload) *http.Request {
	endToEnd(h.fields)
	h.fields.Del("Host")
	if h.fields["User-Agent"] == nil {
		h.fields.Set("User-Agent", "") // none of net/http's
	}
	usual := ":80"
	if uri.Scheme = "http"; in != nil {
		h.fields.Set(in.header, in.value)
		uri.Scheme, usual = "https", ":443"
	}
	uri.Host = net.JoinHostPort(t.host.String(), strconv.Itoa(int(t.port)))
	uri.Host = strings.TrimSuffix(uri.Host, usual)
	req := &http.Request{Method: h.method, URL: uri, Host: uri.Host, Header: h.fields, Close: true,
		ProtoMajor: 1, ContentLength: h.length}
	if h.version == "HTTP/1.1" {
		req.ProtoMinor = 1
	}
	switch {
	case h.length < 0:
		body.r, req.Body = httputil.NewChunkedReader(t.r), body
	case h.length > 0:
		body.r, req.Body = &io.LimitedReader{R: t.r, N: h.length}, body
	}
	return req
}

// errChunk is the error for a chunked body that cannot be read.
var errChunk = errors.New("a malformed chunk")

// An upload is the body of a request. After it, it waits until the client goes away or sends
// more, which is discarded.
type upload struct {
	t        *trip
	r        io.Reader
	lose     context.CancelCauseFunc // says why the client's side has failed
	watching sync.Once
}

// Read reads of the body for net/http. Less than the client has announced is an error.
func (u *upload) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	part, sized := u.r.(*io.LimitedReader)
	switch {
	case err == nil:
	case sized && err == io.EOF && part.N > 0:
		err = io.ErrUnexpectedEOF
	case err == io.EOF:
		u.watching.Do(func() { go u.watch() })
	case !sized && !clientGone(err):
		err = fmt.Errorf("%w: %w", errChunk, err)
	}
	if err != nil && err != io.EOF {
		u.lose(err)
	}
	return n, err
}

// Close does nothing: the client is still there.
func (u *upload) Close() error { return nil }

// watch waits for the client's next byte or its end.
func (u *upload) watch() {
	if _, err := u.t.r.Peek(1); err != nil {
		u.lose(err)
	}
}
