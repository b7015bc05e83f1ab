package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"ua/internal/common/execwrap"
)

// Connect is the other end of the proxy, for ssh's ProxyCommand. It asks the proxy that
// the environment names (UA_PROXY, HTTPS_PROXY or ALL_PROXY) for a tunnel to host:port,
// and joins the tunnel to stdin and stdout until the far side ends.
func Connect(host, port string, stdin io.Reader, stdout io.Writer,
	getenv func(string) string) error {
	proxy, err := proxyURL(getenv)
	if err != nil {
		return err
	}
	if _, _, err = parseHostPort(net.JoinHostPort(host, port), 0); err != nil {
		return fmt.Errorf("%q: %w", net.JoinHostPort(host, port), err)
	}
	conn, err := net.DialTimeout("tcp", proxy.Host, defaultTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	// The reader may already hold bytes of the far side, so it is read on below.
	if err = askTunnel(conn, r, proxy, net.JoinHostPort(host, port)); err != nil {
		return err
	}
	go func() {
		io.Copy(conn, stdin)
		conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = r.WriteTo(stdout)
	return err
}

// proxyURL returns the HTTP proxy that the environment names.
func proxyURL(getenv func(string) string) (*url.URL, error) {
	for _, name := range []string{execwrap.EnvProxy, "HTTPS_PROXY", "https_proxy", "ALL_PROXY",
		"all_proxy"} {
		value := getenv(name)
		if value == "" {
			continue
		}
		u, err := url.Parse(value)
		if err != nil || u.Scheme != "http" || u.Port() == "" {
			return nil, fmt.Errorf("%s: not http://USER:PASSWORD@HOST:PORT", name)
		}
		return u, nil
	}
	return nil, errors.New("no proxy here: HTTPS_PROXY is not set")
}

// askTunnel sends CONNECT and reads the answer. The words of a refusal become the error.
func askTunnel(w io.Writer, r *bufio.Reader, proxy *url.URL, target string) error {
	req := &http.Request{Method: "CONNECT", URL: &url.URL{Opaque: target}, Host: target,
		Header: http.Header{"User-Agent": {""}}}
	if proxy.User != nil {
		password, _ := proxy.User.Password()
		req.SetBasicAuth(proxy.User.Username(), password)
		req.Header["Proxy-Authorization"] = req.Header["Authorization"]
		req.Header.Del("Authorization")
	}
	if err := req.Write(w); err != nil {
		return err
	}
	resp, err := http.ReadResponse(r, req)
	if err != nil || resp.StatusCode/100 == 2 {
		return err
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	text := strings.ReplaceAll(strings.TrimSpace(string(body)), "\n", " ")
	text = strings.TrimPrefix(text, "ua-sandbox: ")
	if text != "" && isText(text) {
		return errors.New(text)
	}
	return fmt.Errorf("%s: the proxy answers %s", target, resp.Status)
}
