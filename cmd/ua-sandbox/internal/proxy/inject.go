package proxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// An Inject is a header that is added outside, so that its secret is never inside. A
// program in the sandbox asks for http://HOST/path through the proxy (its base URL is set
// to http://HOST). The proxy sets the header, replacing one of that name from the
// program, and asks for https://HOST/path, whose certificate it checks. Requests that the
// program itself makes with https get no header, because the proxy does not look inside
// TLS.
type Inject struct {
	host   host
	port   uint16 // of the server, by https
	header string
	value  string
}

// ParseInject parses HOST[:PORT]=VARIABLE or HOST[:PORT]=VARIABLE:HEADER and reads the
// variable. The header is Authorization by default, where a value of one word gets
// "Bearer " in front. The value appears in no error.
func ParseInject(item string, getenv func(string) string) (Inject, error) {
	in := Inject{header: "Authorization"}
	left, variable, ok := strings.Cut(item, "=")
	if !ok {
		return in, fmt.Errorf("%q: not HOST=VARIABLE", item)
	}
	if name, header, ok := strings.Cut(variable, ":"); ok {
		variable, in.header = name, header
	}
	var err error
	if in.host, in.port, err = parseHostPort(left, 443); err != nil {
		return in, fmt.Errorf("%q: %w", item, err)
	}
	// These change the meaning or the destination of a request.
	taken := append([]string{"Host", "Content-Length", "Expect"}, hopFields...)
	if !isToken(in.header) ||
		slices.Contains(taken, http.CanonicalHeaderKey(in.header)) {
		return in, fmt.Errorf("%q: %q is not a header that can be set", item, in.header)
	}
	in.value = strings.TrimSpace(getenv(variable))
	if in.value == "" {
		return in, fmt.Errorf("%q: the variable %s is not set", item, variable)
	}
	if !isText(in.value) {
		return in, fmt.Errorf("%q: the value of %s can't be used in a header", item, variable)
	}
	if strings.EqualFold(in.header, "Authorization") && !strings.Contains(in.value, " ") {
		in.value = "Bearer " + in.value
	}
	return in, nil
}

// injection returns what is set for plain requests to the host, or nil. These may ask for
// port 80 or for the server's own port.
func injection(list []Inject, h host, port uint16) *Inject {
	for i, in := range list {
		if in.host == h && (port == 80 || port == in.port) {
			return &list[i]
		}
	}
	return nil
}
