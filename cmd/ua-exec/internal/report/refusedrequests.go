package report

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A NetLog is by what a command's own ua-sandbox tells which requests its proxy allowed and
// refused (ua-sandbox(1), --net-log-fd). A nil one tells nothing.
type NetLog struct{ *told }

// NewNetLog makes one.
func NewNetLog() (*NetLog, error) {
	t, err := newTold(NetLogFD)
	if err != nil {
		return nil, err
	}
	return &NetLog{t}, nil
}

// Refused returns why requests were refused. It is asked once.
func (n *NetLog) Refused() (list []string) {
	if n == nil {
		return nil
	}
	for line := range bytes.Lines(n.read(64 << 10)) {
		if event.Str(line, "decision") == "deny" {
			list = append(list, event.Str(line, "reason"))
		}
	}
	return list
}

// AskProxy asks the proxy of the sandbox around ua-exec which requests it has
// refused since then. A proxy of another make, or none, says nothing.
func AskProxy(proxy string, since time.Time) (list []string) {
	conn, err := get(proxy, "http://ua-sandbox.internal/refused", proxyTime)
	if err != nil {
		return nil
	}
	defer conn.Close()
	return refusedSince(io.LimitReader(conn, 256<<10), since)
}

// get asks a proxy for what it has itself, and returns the connection that the answer comes by.
func get(proxy, what string, within time.Duration) (net.Conn, error) {
	u, err := url.Parse(proxy)
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("tcp", u.Host, within)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(within))
	password, _ := u.User.Password()
	secret := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: ua-sandbox.internal\r\n"+
		"Proxy-Authorization: Basic %s\r\nConnection: close\r\n\r\n", what, secret)
	return conn, nil
}

// refusedSince reads the proxy's answer: an event a line, as long as they come.
func refusedSince(answer io.Reader, since time.Time) (list []string) {
	r := bufio.NewReader(answer)
	if status, err := r.ReadString('\n'); err != nil ||
		!strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return nil
	}
	for {
		line, err := r.ReadBytes('\n')
		at := gjson.GetBytes(line, "at_ms").Int()
		if why := event.Str(line, "reason"); why != "" && at >= since.UnixMilli() {
			list = append(list, why)
		}
		if err != nil {
			return list
		}
	}
}
