package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"ua/internal/common/execwrap"
)

// fail answers with the status that fits err, and keeps err for the log. The reason is in
// the status line as well, because many clients show only that.
func (t *trip) fail(err error) {
	t.note(err)
	var no *refusal
	switch {
	case errors.As(err, &no):
		t.answer(http.StatusForbidden, t.reason, t.refused())
	case errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err):
		t.answer(http.StatusGatewayTimeout, "time limit", "ua-sandbox: "+t.reason+"\n")
	default:
		t.answer(http.StatusBadGateway, t.reason, "ua-sandbox: "+t.reason+"\n")
	}
}

// refused returns the text of a refusal: what was refused, what is allowed, and who can
// change that.
func (t *trip) refused() string {
	text := execwrap.RefusedWords + " this request: " + t.reason + ".\nAllowed are: " +
		t.s.Allowlist.summary() +
		".\nOnly the person who started the sandbox can allow more (--net-allow HOST[:PORT]); nothing " +
		"inside can.\n"
	if t.host.name == "localhost" || t.host.addr.IsLoopback() {
		text += "A server inside the sandbox is reached without the proxy; host.internal is the " +
			"machine outside.\n"
	}
	return text
}

// isTimeout reports whether err is a time limit.
func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// reject answers a request that cannot be accepted in the form in which it is written.
func (t *trip) reject(err error) {
	t.denied, t.reason = true, err.Error()
	status := http.StatusBadRequest
	if err == errHeadSize {
		status = http.StatusRequestHeaderFieldsTooLarge
	}
	t.answer(status, t.reason, "ua-sandbox: bad request: "+t.reason+"\n")
}

// challenge answers a request without valid credentials.
func (t *trip) challenge() {
	t.denied, t.reason = true, "no proxy credentials"
	t.answer(http.StatusProxyAuthRequired, "Proxy Authentication Required",
		"ua-sandbox: this command may not use the network. Commands that may are given the proxy's "+
			"password in HTTP_PROXY.\n",
		"Proxy-Authenticate: Basic realm=\"ua-sandbox\"\r\n")
}

// answer logs the trip, and then writes a complete response, which is the last. more is
// fields with their line ends.
func (t *trip) answer(status int, phrase, body string, more ...string) {
	t.log()
	t.hurry()
	fmt.Fprintf(t.conn, "HTTP/1.1 %d %s\r\n%sContent-Type: text/plain; charset=utf-8\r\n"+
		"Content-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, oneLine(phrase), strings.Join(more, ""), len(body), body)
}

// oneLine returns s as a reason phrase: ASCII and short.
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
