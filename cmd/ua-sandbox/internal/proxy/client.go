package proxy

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/event"
)

// A client is one connection from inside. It makes one request.
type client struct {
	ctx  context.Context // ends with the listener
	s    *Server
	conn net.Conn
	r    *bufio.Reader
}

func newClient(ctx context.Context, s *Server, conn net.Conn) *client {
	near(conn)
	conn.SetDeadline(time.Now().Add(s.timeout()))
	return &client{ctx, s, conn, bufio.NewReader(conn)}
}

// serveProxy tells the protocols apart by the first byte: a SOCKS5 greeting
// begins with 5, which begins no method of HTTP.
func (c *client) serveProxy() {
	first, err := c.r.Peek(1)
	switch {
	case err != nil:
	case first[0] == 5:
		c.serveSOCKS()
	default:
		c.serveHTTP(nil)
	}
}

// A trip is one request's way, and what is logged of it.
type trip struct {
	*client
	start    time.Time
	method   string
	host     host
	port     uint16
	asked    string // the target as the client wrote it, while there is no host
	addr     string
	up, down int64
	denied   bool
	reason   string
	inject   string // the header that went in
}

func (c *client) trip(method string) *trip {
	return &trip{client: c, start: time.Now(), method: method}
}

// log writes the trip's event.
func (t *trip) log() {
	if t.s.Log == nil {
		return
	}
	name, decision := t.asked, "allow"
	if t.host != (host{}) {
		name = t.host.String()
	}
	if t.denied {
		decision = "deny"
	}
	line := event.New("net").Str("host", name[:min(len(name), 255)]).Int("port", int64(t.port)).
		Str("method", t.method).Str("decision", decision).OptStr("reason", t.reason).OptStr("addr", t.addr).OptStr("inject", t.inject).
		Int("bytes_up", t.up).Int("bytes_down", t.down).
		Int("duration_ms", time.Since(t.start).Milliseconds()).Line()
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.Log(line)
}

// note keeps why the trip failed.
func (t *trip) note(err error) {
	var no *refusal
	t.denied = errors.As(err, &no)
	t.reason = cause(err)
	t.reason = t.reason[:min(len(t.reason), 600)] // it may quote the client
}

// ended keeps why bytes stopped to flow. That one side just went away is how
// many connections end, and no reason.
func (t *trip) ended(err error) {
	if err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, net.ErrClosed) {
		t.note(err)
	}
}

// cause is err's text without the addresses that package net puts before it.
func cause(err error) string {
	var op *net.OpError
	for errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}

// dial connects the trip to its host.
func (t *trip) dial() (net.Conn, error) {
	up, err := t.s.dial(t.ctx, t.host, t.port)
	if err == nil {
		t.addr = up.RemoteAddr().(*net.TCPAddr).IP.String()
	}
	return up, err
}

// permitted says whether the credentials are the secret's (RFC 7617). The
// comparison takes the same time whatever they are.
func (s *Server) permitted(credentials string) bool {
	return subtle.ConstantTimeCompare([]byte(credentials), []byte("ua:"+s.Secret)) == 1
}

// basic is the user:password of a Basic credential, or "".
func basic(value string) string {
	scheme, encoded, _ := strings.Cut(value, " ")
	text, err := base64.StdEncoding.DecodeString(strings.TrimLeft(encoded, " "))
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return ""
	}
	return string(text)
}

// The statuses that a client is answered with, and their phrases.
const (
	badRequest   = 400
	forbidden    = 403
	authRequired = 407
	headTooLarge = 431
	badGateway   = 502
	gatewayTime  = 504
)

// fail answers with the status that fits err, and keeps err for the log. The
// reason stands in the status line too, since many clients show only that.
func (t *trip) fail(err error) {
	t.note(err)
	var no *refusal
	switch {
	case errors.As(err, &no):
		t.answer(forbidden, t.reason, "ua-sandbox refused this request: "+t.reason+
			".\nAllowed are: "+t.s.Policy.summary()+
			".\nOnly the person who started the sandbox can allow more (--net-allow HOST[:PORT]); nothing inside can.\n")
	case errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err):
		t.answer(gatewayTime, "time limit", "ua-sandbox: "+t.reason+"\n")
	default:
		t.answer(badGateway, t.reason, "ua-sandbox: "+t.reason+"\n")
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// reject answers a request that can't be taken as it is written.
func (t *trip) reject(err error) {
	t.denied, t.reason = true, err.Error()
	status := badRequest
	if err == errHeadSize {
		status = headTooLarge
	}
	t.answer(status, t.reason, "ua-sandbox: bad request: "+t.reason+"\n")
}

// challenge answers a request without the secret.
func (t *trip) challenge() {
	t.denied, t.reason = true, "no proxy credentials"
	t.answer(authRequired, "Proxy Authentication Required",
		"ua-sandbox: this command may not use the network. Commands that may are given the proxy's password in HTTP_PROXY.\n",
		field{"Proxy-Authenticate", `Basic realm="ua-sandbox"`})
}

// answer writes a whole response and ends the connection.
func (t *trip) answer(status int, phrase, body string, fields ...field) {
	fields = append(fields, field{"Content-Type", "text/plain; charset=utf-8"},
		field{"Content-Length", strconv.Itoa(len(body))}, field{"Connection", "close"})
	first := "HTTP/1.1 " + strconv.Itoa(status) + " " + oneLine(phrase)
	b := append(appendHead(nil, first, fields), body...)
	t.conn.SetDeadline(time.Now().Add(t.s.timeout()))
	t.conn.Write(b)
}

// oneLine is s as a reason phrase: ASCII, and not long.
func oneLine(s string) string {
	clean := func(r rune) rune {
		if r < ' ' || r >= 0x7f {
			return '?'
		}
		return r
	}
	s = strings.Map(clean, s)
	return s[:min(len(s), 200)]
}

// linger ends the sending side and takes what the client still sends, for a
// moment and within bounds: a connection closed with bytes unread is reset, and
// the client may lose the answer.
func (c *client) linger() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.conn.SetReadDeadline(time.Now().Add(time.Second))
		io.CopyN(io.Discard, c.conn, 1<<20)
	}
}
