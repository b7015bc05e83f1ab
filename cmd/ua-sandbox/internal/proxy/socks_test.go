package proxy

import (
	"io"
	"net"
	"strings"
	"testing"

	"golang.org/x/net/proxy"
)

func TestSOCKS(t *testing.T) {
	_, port := echo(t)
	g := start(t, nil, "app.test:"+port, "127.0.0.1:"+port)
	for _, tt := range []struct{ user, target, want string }{
		{"ua", "app.test:" + port, ""},
		{"ua", "127.0.0.1:" + port, ""},
		{"ua", "evil.test:" + port, "not allowed"},
		{"ua", "app.test:443", "not allowed"},
		{"ua", "[::1]:" + port, "not allowed"},
		{"other", "app.test:" + port, "authentication"},
	} {
		d, err := proxy.SOCKS5("tcp", g.addr, &proxy.Auth{User: tt.user, Password: secret}, nil)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := d.Dial("tcp", tt.target)
		if err != nil {
			if tt.want == "" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.target, err, tt.want)
			}
			continue
		}
		if tt.want != "" {
			t.Errorf("%s: no error", tt.target)
		}
		io.WriteString(conn, "hello")
		conn.(interface{ CloseWrite() error }).CloseWrite()
		if got, err := io.ReadAll(conn); string(got) != "hello" {
			t.Errorf("%s: %q, %v", tt.target, got, err)
		}
		conn.Close()
	}
}

const socksHello = "\x05\x01\x02\x01\x02ua\x065ecret"

func TestSOCKSJunk(t *testing.T) {
	g := start(t, nil, "app.test:1")
	for _, tt := range []struct{ text, want string }{
		{"\x05\x00", "\x05\xff"},
		{"\x05\x01\x00", "\x05\xff"},
		{"\x05\x02\x00\x01", "\x05\xff"},
		{"\x05\x01\x02\x01\x02ua\x05wrong", "\x05\x02\x01\x01"},
		{"\x05\x01\x02\x01\x00\x00", "\x05\x02\x01\x01"},
		{"\x05\x01\x02\x02\x02ua\x065ecret", "\x05\x02\x01\x01"},
		{socksHello + "\x05\x02\x00\x03\x08app.test\x00\x01", "\x05\x02\x01\x00\x05\x07"},
		{socksHello + "\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x01", "\x05\x02\x01\x00\x05\x07"},
		{socksHello + "\x05\x01\x00\x05\x08app.test\x00\x01", "\x05\x02\x01\x00\x05\x08"},
		{socksHello + "\x05\x01\x00\x03\x00\x00\x01", "\x05\x02\x01\x00\x05\x02"},
		{socksHello + "\x05\x01\x00\x03\x05127.1\x00\x01", "\x05\x02\x01\x00\x05\x02"},
		{socksHello + "\x05\x01\x00\x03\x09app\x00.test\x00\x01", "\x05\x02\x01\x00\x05\x02"},
		{socksHello + "\x05\x01\x00\x03\x08app.test\x00\x00", "\x05\x02\x01\x00\x05\x02"},
		{socksHello + "\x04\x01\x00\x03\x08app.test\x00\x01", "\x05\x02\x01\x00"},
		{socksHello + "\x05\x01\x00", "\x05\x02\x01\x00"},
		{"\x04\x01\x00\x50\x7f\x00\x00\x01ua\x00", "HTTP/1.1 400"},
	} {
		conn, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, tt.text)
		conn.(*net.TCPConn).CloseWrite()
		got, _ := io.ReadAll(conn)
		conn.Close()
		if !strings.HasPrefix(string(got), tt.want) || strings.HasPrefix(tt.want, "\x05") &&
			len(tt.want) == 4 && len(got) > 4 {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
