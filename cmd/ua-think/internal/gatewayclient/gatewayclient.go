// Package gatewayclient asks a model through another ua-think, for a program that has no key. A
// conversation goes over a Unix socket and an answer comes back, both as the events of
// ua-events(5): there is nothing else that could be asked for (ua-think(1), serve).
package gatewayclient

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A Client is a conversation with a model on the other side of a socket.
type Client struct {
	Models []string // that may be asked, as PROVIDER/NAME; the first is the usual one

	conn  halfCloser
	out   *event.Writer
	ended chan struct{} // closed when nothing more comes
	err   error         // of the conversation, once it has ended
}

// Dial connects to the socket, shows the token and says what is wished for, the line options.
func Dial(socket, token string, options any) (*Client, error) {
	conn, err := dial(socket)
	if err != nil {
		return nil, lost(socket).Hintf("%v", err)
	}
	c := &Client{conn: conn, out: event.NewWriter(conn), ended: make(chan struct{})}
	wish, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	hello := event.New("hello").Str("token", token).Line()
	for _, line := range [][]byte{hello, wish} {
		if c.out.Write(line) != nil {
			break // the other side has said why
		}
	}
	return c, nil
}

// Scheme begins the address of a server on another machine in UA_GATEWAY: tls://HOST:PORT.
const Scheme = "tls://"

// farTime is how long a connection to another machine may take.
const farTime = 30 * time.Second

// A halfCloser is a connection that can be answered after its client has said all.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

// dial connects to a path or to a server on another machine, whose certificate one of the
// system's authorities, or those in SSL_CERT_FILE, must have signed.
func dial(socket string) (halfCloser, error) {
	if address, far := strings.CutPrefix(socket, Scheme); far {
		return tls.DialWithDialer(&net.Dialer{Timeout: farTime}, "tcp", address,
			&tls.Config{MinVersion: tls.VersionTLS13})
	}
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
}

// Listen passes each event that comes to line, until the other side has ended the
// conversation. The first line says which models there are; nothing else may be done
// before that.
func (c *Client) Listen(line func([]byte)) error {
	in := event.NewReader(c.conn)
	first, err := in.Next()
	if err != nil {
		c.conn.Close()
		return lost(c.conn.RemoteAddr().String())
	}
	if event.Type(first) == "end" {
		c.conn.Close()
		return outcome(first)
	}
	for _, m := range gjson.GetBytes(first, "models").Array() {
		c.Models = append(c.Models, m.Str)
	}
	go func() {
		c.err = lost(c.conn.RemoteAddr().String())
		for {
			text, err := in.Next()
			if err != nil {
				break
			}
			if event.Type(text) == "end" {
				c.err = outcome(text)
				break
			}
			line(append([]byte(nil), text...))
		}
		close(c.ended)
	}()
	return nil
}

// lost returns the error of a socket on which nobody answers.
func lost(socket string) *prog.Error {
	return prog.Errorf(prog.TryLater, "the run above does not answer at %q", socket)
}

// outcome returns the error in the line that ends a conversation, nil for status 0.
func outcome(line []byte) error {
	status := int(gjson.GetBytes(line, "status").Int())
	message := event.Str(line, "message")
	switch {
	case status == 0:
		return nil
	case message == "":
		return prog.Exit(status)
	}
	e := prog.Errorf(status, "%s", message)
	e.Hint = event.Str(line, "hint")
	return e
}

// Take sends a line of the conversation. What it leads to comes to Listen's line.
func (c *Client) Take(line string) error {
	if c.out.Write([]byte(line)) != nil {
		return c.Wait()
	}
	return nil
}

// Finish says that the conversation is whole, and waits for the end of the answer.
func (c *Client) Finish(ctx context.Context) error {
	c.conn.CloseWrite()
	select {
	case <-c.ended:
		return c.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stop breaks off the answer, as a signal does.
func (c *Client) Stop() { c.out.Write(event.New("stop").Line()) }

// Wait waits until nothing more comes, and returns the outcome of the conversation.
func (c *Client) Wait() error {
	<-c.ended
	return c.err
}

// Ended is closed when nothing more comes.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Close ends the conversation at once.
func (c *Client) Close() { c.conn.Close() }
