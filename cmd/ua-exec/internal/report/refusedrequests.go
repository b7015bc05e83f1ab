package report

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/chain"
	"ua/internal/common/event"
)

// AskProxy asks the proxy of the sandbox around ua-exec which requests it has refused
// since that time. It returns nothing for any other proxy, or for none.
func AskProxy(proxy string, since time.Time) (list []string) {
	conn, err := get(proxy, chain.RefusedURL, proxyTime)
	if err != nil {
		return nil
	}
	defer conn.Close()
	return refusedSince(io.LimitReader(conn, 256<<10), since)
}

// get requests one of the proxy's own pages, and returns the connection with the answer.
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
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: "+chain.ProxyHost+"\r\n"+
		"Proxy-Authorization: Basic %s\r\nConnection: close\r\n\r\n", what, secret)
	return conn, nil
}

// refusedSince parses the proxy's answer, one event a line, until it ends.
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
