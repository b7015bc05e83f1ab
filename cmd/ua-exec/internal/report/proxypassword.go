package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"ua/internal/common/chain"
)

// Lease makes the proxy of the sandbox around ua-exec issue a password, and returns it as
// USER:PASSWORD. The password is valid until the returned connection is closed.
func Lease(proxy string) (credentials string, until io.Closer, err error) {
	conn, err := get(proxy, chain.LeaseURL, leaseTime)
	if err != nil {
		return "", nil, err
	}
	if credentials, err = readLease(io.LimitReader(conn, 16<<10)); err != nil {
		conn.Close()
		return "", nil, err
	}
	return credentials, conn, nil
}

// readLease parses the proxy's HTTP answer.
func readLease(answer io.Reader) (credentials string, err error) {
	r := bufio.NewReader(answer)
	status, err := r.ReadString('\n')
	if err == nil && !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		err = fmt.Errorf("it answers %q", strings.TrimSpace(status))
	}
	for line := status; err == nil && strings.TrimSpace(line) != ""; {
		line, err = r.ReadString('\n')
	}
	if err != nil {
		return "", err
	}
	line, err := r.ReadString('\n')
	if credentials = strings.TrimSpace(line); err == nil && !strings.Contains(credentials, ":") {
		err = errors.New("it answers without a password")
	}
	return credentials, err
}
