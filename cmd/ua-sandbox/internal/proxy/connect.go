package proxy

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"ua/internal/common/chain"
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
	for _, name := range []string{chain.EnvProxy, "HTTPS_PROXY", "https_proxy", "ALL_PROXY",
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
	fields := []field{{"Host", target}}
	if proxy.User != nil {
		word, _ := proxy.User.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(proxy.User.Username() + ":" + word))
		fields = append(fields, field{"Proxy-Authorization", "Basic " + credentials})
	}
	if _, err := w.Write(headBytes("CONNECT "+target+" HTTP/1.1", fields)); err != nil {
		return err
	}
	h, status, err := readResponse(r)
	if err != nil || status/100 == 2 {
		return err
	}
	body, _ := io.ReadAll(io.LimitReader(r, 4<<10))
	text := strings.ReplaceAll(strings.TrimSpace(string(body)), "\n", " ")
	if text = strings.TrimPrefix(text, "ua-sandbox: "); text != "" && isText(text) {
		return errors.New(text)
	}
	return fmt.Errorf("%s: the proxy answers %d %s", target, status, h.first[2])
}
