package statuschannel

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/execwrap"
)

// AskProxy asks the proxy of the sandbox around ua-exec which requests it has refused
// since that time. It returns nothing for any other proxy, or for none.
func AskProxy(proxy string, since time.Time) (list []string) {
	conn, err := get(proxy, execwrap.RefusedURL, proxyTime)
	if err != nil {
		return nil
	}
	defer conn.Close()
	return refusedSince(conn, since)
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
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: "+execwrap.ProxyHost+"\r\n"+
		"Proxy-Authorization: Basic %s\r\nConnection: close\r\n\r\n", what, secret)
	return conn, nil
}

// body reads the head of the proxy's answer, and returns what follows it.
func body(answer io.Reader) (*bufio.Reader, error) {
	r := bufio.NewReader(io.LimitReader(answer, 256<<10))
	head := textproto.NewReader(r)
	status, err := head.ReadLine()
	if err == nil && !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		err = fmt.Errorf("it answers %q", status)
	}
	if err == nil {
		_, err = head.ReadMIMEHeader()
	}
	return r, err
}

// refusedSince parses the proxy's answer, one event a line, until it ends.
func refusedSince(answer io.Reader, since time.Time) (list []string) {
	r, err := body(answer)
	for err == nil {
		var line []byte
		line, err = r.ReadBytes('\n')
		at := gjson.GetBytes(line, "at_ms").Int()
		if why := event.Str(line, "reason"); why != "" && at >= since.UnixMilli() {
			list = append(list, why)
		}
	}
	return list
}

// Lease makes the proxy of the sandbox around ua-exec issue a password, and returns it as
// USER:PASSWORD. The password is valid until the returned connection is closed.
func Lease(proxy string) (credentials string, until io.Closer, err error) {
	conn, err := get(proxy, execwrap.LeaseURL, leaseTime)
	if err != nil {
		return "", nil, err
	}
	if credentials, err = readLease(conn); err != nil {
		conn.Close()
		return "", nil, err
	}
	return credentials, conn, nil
}

// readLease parses the proxy's answer.
func readLease(answer io.Reader) (credentials string, err error) {
	r, err := body(answer)
	if err != nil {
		return "", err
	}
	line, err := r.ReadString('\n')
	if credentials = strings.TrimSpace(line); err == nil && !strings.Contains(credentials, ":") {
		err = errors.New("it answers without a password")
	}
	return credentials, err
}
