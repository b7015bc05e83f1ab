// Package eventgateway answers conversations that come over a socket, as events, from programs
// without a key (ua-think(1), serve). A conversation goes in and an answer comes out; which
// model answers, and how much all of them may ask together, is decided here.
//
// Clients are not trusted. Nothing is begun for a connection before it has shown a token, and
// what it sends is bounded in size, time and number. Media come in the events: no path that a
// client names is opened.
package eventgateway

import (
	"bufio"
	"context"
	"crypto/subtle"
	"net"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/connlimit"
	"ua/internal/common/run"
)

// A Service answers the conversations of one socket.
type Service struct {
	Config   *settings.Settings
	Options  session.Options   // the most that a client gets
	Client   *transport.Client // that all sessions ask with
	Model    provider.Model    // with its key
	Above    *session.Above    // where the run above answers, in place of Model; nil for none
	Allow    []string          // other models that may be asked, as PROVIDER/NAME or patterns of that
	AnyModel bool              // questions over HTTP to any other model are for Model
	Budget   *sharedbudget.Budget
	Log      *Log
	Token    string      // what a client must show; "" for none
	Lives    string      // the folder with a file for each command that runs; "" for none
	MaxDepth int         // agents below the one that started this; 0 for no limit
	Foreign  func(*Conn) // takes a connection that speaks HTTP; nil where none may

	places connlimit.Set
	talks  atomic.Int64 // bytes of conversations in memory
}

// Serve answers the connections of l until ctx ends.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	s.places = connlimit.Set{Most: maxLinks, Open: maxConns, Young: young,
		Share: share(maxLinks), Wait: maxConns}
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
		peer := PeerOf(conn)
		if s.Token == "" && conn.LocalAddr().Network() == "unix" && !peer.Own {
			conn.Close()
			continue
		}
		place := s.places.Take(ctx, func() { conn.Close() })
		if place == nil {
			conn.Close()
			return nil
		}
		all.Go(func() {
			c := &Conn{conn, bufio.NewReader(conn), peer, place}
			if s.Foreign != nil && !c.speaksEvents() {
				s.Foreign(c)
				return
			}
			defer c.Close()
			s.serve(ctx, c)
		})
	}
}

// A Conn is a connection with its place, and the process at its other end.
type Conn struct {
	net.Conn
	in    *bufio.Reader
	Peer  Peer
	Place *connlimit.Place
}

// Read reads what the client sends.
func (c *Conn) Read(b []byte) (int, error) { return c.in.Read(b) }

// speaksEvents reports whether the first byte that comes is that of an event.
func (c *Conn) speaksEvents() bool {
	c.SetReadDeadline(time.Now().Add(helloTime))
	defer c.SetReadDeadline(time.Time{})
	first, _ := c.in.Peek(1)
	return string(first) == "{"
}

// Close gives up the place and closes the connection.
func (c *Conn) Close() error {
	c.Place.Leave()
	return c.Conn.Close()
}

// Known reports whether a client may ask that shows this token: the service's own, or that of
// a command of which something is still running.
func (s *Service) Known(given string) (command string, ok bool) {
	if s.Token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(s.Token)) == 1 {
		return "", true
	}
	command, ok = run.CommandOf(s.Token, given)
	return command, ok && s.lives(command)
}

// lives reports whether something of a command is still running, as its ua-exec says in a
// folder that no command can write.
func (s *Service) lives(command string) bool {
	if s.Lives == "" || command == "" {
		return true
	}
	info, err := os.Lstat(filepath.Join(s.Lives, run.LiveName(command)))
	return err == nil && info.Mode().IsRegular()
}

// Allowed reports whether a model may be asked.
func (s *Service) Allowed(m provider.Model) bool {
	names := []string{m.Spec()}
	if m.Provider == s.Model.Provider {
		names = append(names, m.Name)
	}
	for _, pattern := range append([]string{s.Model.Spec()}, s.Allow...) {
		for _, name := range names {
			if ok, _ := path.Match(pattern, name); ok || pattern == name {
				return true
			}
		}
	}
	return false
}

// These bound what clients can take.
const (
	maxLinks  = 256                   // connections that have shown a token
	maxConns  = 256                   // that have not
	young     = 20 * time.Millisecond // the age at which one begins to give way to others
	helloTime = 10 * time.Second      // for a client to say what it wants
	WriteTime = time.Minute           // for a client to take a piece of an answer
	maxHello  = 4 << 10               // bytes of the first line
	goneEvery = 100 * time.Millisecond
	maxTalk   = 96 << 20  // bytes of one conversation
	maxTalks  = 256 << 20 // of all together
)

// share returns how much the clients of one command may take of what all have.
func share(all int) int { return max(all*3/4, 1) }
