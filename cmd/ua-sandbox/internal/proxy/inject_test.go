package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestParseInject(t *testing.T) {
	env := map[string]string{"KEY": "abc", "BASIC": "Basic eHl6", "BAD": "a\nb", "EMPTY": " "}
	for _, tt := range []struct{ item, want string }{
		{"api.test=KEY", "api.test 443 Authorization: Bearer abc"},
		{"API.test:8443=KEY", "api.test 8443 Authorization: Bearer abc"},
		{"api.test=BASIC", "api.test 443 Authorization: Basic eHl6"},
		{"api.test=KEY:X-Api-Key", "api.test 443 X-Api-Key: abc"},
		{"api.test=KEY:authorization", "api.test 443 authorization: Bearer abc"},
		{"api.test", "not HOST=VARIABLE"},
		{"=KEY", "no host"},
		{"api.test=NONE", "NONE is not set"},
		{"api.test=EMPTY", "EMPTY is not set"},
		{"api.test=BAD", "can't be used in a header"},
		{"api.test=KEY:", "not a header"},
		{"api.test=KEY:a b", "not a header"},
		{"api.test=KEY:Host", "not a header"},
		{"api.test=KEY:Connection", "not a header"},
		{"api.test=KEY:Content-Length", "not a header"},
		{"*.test=KEY", "not a host name"},
		{"api.test:0=KEY", "port"},
	} {
		in, err := ParseInject(tt.item, func(k string) string { return env[k] })
		got := fmt.Sprintf("%s %d %s: %s", in.host, in.port, in.header, in.value)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || strings.Contains(got, "a\nb") {
			t.Errorf("%q: %q, want %q", tt.item, got, tt.want)
		}
	}
}

// A plain request is sent on by TLS with the header; what the program sent in
// its place is gone, and another host gets nothing.
func TestInject(t *testing.T) {
	addr, _ := secureWeb(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, " ", r.Header["Authorization"], " ", r.Header["X-Api-Key"])
	})
	plain, _ := web(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "plain ", r.Header["Authorization"])
	})
	g := start(t, func(g *rig) {
		g.to(t, "443", addr)
		g.to(t, "80", plain)
		resolve(t, names{"example.com": {"127.0.0.1"}, "app.test": {"127.0.0.1"},
			"wrong.test": {"127.0.0.1"}}.zone)
		for _, item := range []string{"example.com=KEY", "wrong.test=KEY"} {
			in, err := ParseInject(item, func(string) string { return "t0ken" })
			if err != nil {
				t.Fatal(err)
			}
			g.Inject = append(g.Inject, in)
		}
	}, "127.0.0.1", "app.test")
	for _, tt := range []struct{ method, url, want string }{
		{"GET", "http://example.com/", "200 example.com [Bearer t0ken] []"},
		{"GET", "http://example.com:443/", "200 example.com [Bearer t0ken] []"},
		{"GET", "http://example.com:8080/", "403 "},
		{"GET", "http://app.test/", "200 plain [Bearer mine]"},
		{"GET", "http://wrong.test/", "502 "},
		{"TRACE", "http://example.com/", "403 "}, // whose answer is the request itself
		{"TRACE", "http://app.test/", "200 plain [Bearer mine]"},
	} {
		req, _ := http.NewRequest(tt.method, tt.url, nil)
		req.Header.Set("Authorization", "Bearer mine")
		resp, err := g.client().Do(req)
		if got := body(t, resp, err); !strings.HasPrefix(got, tt.want) ||
			strings.Contains(got, "t0ken") != strings.Contains(tt.want, "t0ken") {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.url, got, tt.want)
		}
	}
	g.event(t, 7)
	for _, line := range g.logged() {
		if strings.Contains(line, "t0ken") {
			t.Error("the log has the secret:", line)
		}
	}
}
