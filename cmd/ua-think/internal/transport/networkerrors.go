package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// explained returns err with a hint about m's key, and with the key removed from its
// message.
func explained(m provider.Model, err error) error {
	var f *failure.Failure
	if errors.As(err, &f) {
		m.Explain(f)
	}
	return err
}

// maxError is how much of an error response is read, in bytes.
const maxError = 64 << 10

// noStream returns the failure of a response with status 200 that holds no answer: a page of
// some other server, or broken JSON, which may pass.
func noStream(m provider.Model, typ string, text []byte) error {
	f := failure.API(m.Provider, 0, "", failure.Text(text))
	if len(text) == 0 {
		f.Msg += ": an empty answer"
	}
	f.Msg += " (no stream but " + typ + ")"
	if strings.HasPrefix(typ, "application/json") && !event.ValidJSON(text) {
		f.Hint = "the answer of the server was cut off"
		return f
	}
	f.Retry, f.Status = false, prog.Trouble
	f.Hint = "check the base URL: " + shown(m.URL()) + " was asked"
	return f
}

// unreachable returns the failure of a request that got no response.
func unreachable(m provider.Model, err error) error {
	if f := new(failure.Failure); errors.As(err, &f) {
		return f
	}
	f := &failure.Failure{
		Msg: fmt.Sprintf("%s: %v", m.Provider, err), Status: prog.TryLater, Retry: true,
	}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, io.EOF):
		f.Msg = m.Provider + ": the server closed the connection without an answer"
	case untrusted(err):
		f.Retry, f.Status = false, prog.Trouble
		f.Hint = "check the base URL (should it be http://?) and the clock; " +
			"SSL_CERT_FILE names more certificates to trust"
	case errors.As(err, &op) && op.Op == "proxyconnect":
		f.Hint = proxyHint
	case errors.As(err, &dns) && dns.IsNotFound:
		f.Hint = "check the base URL and the network"
	case strings.Contains(err.Error(), "connection refused"):
		f.Hint = "no server listens at " + shown(m.Base)
		if command := m.Starts(); command != "" {
			f.Hint += "; " + command + " starts one"
		}
	}
	return f
}

// shown returns a URL without its password and its query, in which servers take keys, too.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}

// untrusted reports whether a server's certificate is invalid or missing, which no further try
// can change.
func untrusted(err error) bool {
	var invalid *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	return errors.As(err, &invalid) || errors.As(err, &plain)
}

// proxyHint is the hint for errors of a proxy.
const proxyHint = "check the proxy that HTTPS_PROXY or HTTP_PROXY names; " +
	"NO_PROXY names servers that need none"

// proxyRefused returns the failure of a proxy that refuses a tunnel. A status of 5xx may
// pass.
func proxyRefused(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	f := &failure.Failure{
		Msg:  "the proxy " + proxy.Host + " answers: " + resp.Status,
		Hint: proxyHint, Status: prog.Trouble,
	}
	if resp.StatusCode >= 500 {
		f.Status, f.Retry = prog.TryLater, true
	}
	return f
}
