package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/event"
)

// netLogFD is the descriptor on which a command's own ua-sandbox tells which
// requests its proxy allowed and refused (ua-sandbox(1), --net-log-fd).
const netLogFD = 185

// A netLog is the pipe of that descriptor. A nil one tells nothing.
type netLog struct{ r, w int }

func newNetLog() (*netLog, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	return &netLog{r, w}, nil
}

// refused returns which requests were refused, and why. It ends the pipe.
func (n *netLog) refused() (list []string) {
	if n == nil {
		return nil
	}
	defer syscall.Close(n.r)
	b := make([]byte, 64<<10)
	k, err := syscall.Read(n.r, b)
	if err != nil || k <= 0 {
		return nil
	}
	for line := range bytes.Lines(b[:k]) {
		if event.Str(line, "decision") == "deny" {
			list = append(list, event.Str(line, "reason"))
		}
	}
	return list
}

// proxyTime bounds the question to the proxy, which is on this machine.
const proxyTime = 500 * time.Millisecond

// askProxy asks the proxy of the sandbox around ua-exec which requests it has
// refused since then. A proxy of another make, or none, says nothing.
func askProxy(proxy string, since time.Time) (list []string) {
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" {
		return nil
	}
	conn, err := net.DialTimeout("tcp", u.Host, proxyTime)
	if err != nil {
		return nil
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(proxyTime))
	password, _ := u.User.Password()
	secret := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
	fmt.Fprintf(conn, "GET http://ua-sandbox.internal/refused HTTP/1.1\r\nHost: "+
		"ua-sandbox.internal\r\n"+
		"Proxy-Authorization: Basic %s\r\nConnection: close\r\n\r\n", secret)
	r := bufio.NewReader(io.LimitReader(conn, 256<<10))
	if status, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(status, "HTTP/1.1 200 ") {
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
