package job

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/command"
	"ua/internal/common/connlimit"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/verdict"
)

// A Socket is that through which programs start commands in the background and steer them:
// ua job, in a command of the run or outside of it. It is in the folder of outputs, and
// listens from the first command on that could need it.
//
// A client has the rights of the profile whose token it gives; only a command of that
// profile that is still running knows the token. A client that can create a file in the
// folder of outputs has all rights of this program, since commands cannot do that. Nobody
// gains rights by asking.
type Socket struct {
	table
	once   sync.Once
	places connlimit.Set // of connections
}

// Limits of the socket.
const (
	slots        = 16                    // requests at once
	slotsShare   = 12                    // of them, those of one command
	waitMax      = 256                   // requests that wait for one of the same command to end
	openMax      = 64                    // connections that have not sent one
	requestMax   = 1 << 20               // bytes of a request
	youngestTime = 20 * time.Millisecond // age at which a connection begins to give way
)

// NewSocket returns a socket that is not open yet. Requests to the driver of the run go to out.
func NewSocket(r *command.Runner, out *event.Writer) *Socket {
	return &Socket{
		table: table{runner: r, out: out, jobs: map[string]*job{}},
		places: connlimit.Set{Most: slots, Share: slotsShare, Wait: waitMax, Open: openMax,
			Young: youngestTime},
	}
}

// Open creates the socket once. There is none if that fails, or if the folder is a private
// one, because commands can write there.
func (s *Socket) Open() {
	if s.runner.Options.Dir == "" {
		return
	}
	s.once.Do(func() {
		l, err := s.listen()
		if err != nil {
			return
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				// Connections that say nothing must not keep others out.
				place := s.places.Take(s.runner.Ctx, func() { conn.Close() })
				if place == nil {
					conn.Close()
					return
				}
				go func() {
					defer conn.Close()
					defer place.Leave()
					s.attend(conn.(*net.UnixConn), place)
				}()
			}
		}()
	})
}

// listen listens in the folder of outputs. The name of a socket has at most 107 bytes
// (unix(7)), so it is bound through the folder's descriptor.
func (s *Socket) listen() (net.Listener, error) {
	if err := s.runner.Folder.Make(); err != nil {
		return nil, err
	}
	name := jobs.Socket
	if s.runner.Options.Above != "" {
		name = jobs.SocketOver
	}
	_ = s.runner.Folder.Root().Remove(name) // that of a run that was killed
	dir, err := os.Open(s.runner.Folder.Path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	private := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		_ = c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) }) // before it has a name
		return err
	}}
	l, err := private.Listen(s.runner.Ctx, "unix", jobs.Address(dir, name))
	if err == nil {
		s.runner.Socket = filepath.Join(s.runner.Folder.Path, name)
	}
	return l, err
}

// Close removes the socket.
func (s *Socket) Close() {
	if s.runner.Socket != "" {
		os.Remove(s.runner.Socket)
	}
}

// Idle waits until all requests are answered, or ctx ends.
func (s *Socket) Idle(ctx context.Context) { s.places.Idle(ctx) }

// attend answers the request of one connection.
func (s *Socket) attend(conn *net.UnixConn, place *connlimit.Place) {
	say := func(r jobs.Reply) {
		line, err := json.Marshal(r)
		if err == nil {
			_ = conn.SetWriteDeadline(time.Now().Add(requestTime))
			_, _ = conn.Write(append(line, '\n'))
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(requestTime))
	q, in, err := readRequest(conn)
	if err != nil {
		say(jobs.Reply{Error: "not a request: " + err.Error()})
		return
	}
	right, client := s.right(q.Token, in, say)
	// The input of a job may come at any time.
	_ = conn.SetReadDeadline(time.Time{})
	switch {
	case right == "":
		say(jobs.Reply{Error: "permission denied"})
	case !place.Hold(s.runner.Ctx, client):
		say(jobs.Reply{Error: "too many requests, or the end of the run"})
	case q.Do == "start":
		say(s.start(&q, right))
	case q.Do == "keep" || q.Do == "recall":
		say(s.keep(&q, right))
	case q.Do == "stop":
		say(s.steer(q.Job, right, func(j *job) jobs.Reply { return j.end(q.Grace) }))
	case q.Do == "in":
		say(s.steer(q.Job, right, func(j *job) jobs.Reply { return j.feed(conn, in, q.EOF) }))
	default:
		say(jobs.Reply{Error: fmt.Sprintf("%.40q: want start, keep, stop or in", q.Do)})
	}
}

// readRequest reads a request, which is a line of limited length, and returns what stands
// behind it.
func readRequest(conn io.Reader) (q jobs.Request, in *bufio.Reader, err error) {
	limit := &io.LimitedReader{R: conn, N: requestMax}
	in = bufio.NewReader(limit)
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &q)
	}
	limit.N = math.MaxInt64
	return q, in, err
}

// right returns the profile that a token stands for, and the ID of the command that has
// it. Without a token it asks the client to create a file with a random name; a client
// that can do so gets the widest profile of this program. "" means no rights.
func (s *Socket) right(
	token string, in io.Reader, say func(jobs.Reply),
) (p verdict.Profile, client string) {
	if p, id := s.runner.Environ.Bearer(token); p != "" && s.runner.Credentials.Stands(id, p) {
		return p, id
	}
	if token != "" {
		return "", ""
	}
	name := ".right-" + rand.Text()
	say(jobs.Reply{Create: name})
	if _, err := io.ReadFull(in, make([]byte, 1)); err != nil {
		return "", ""
	}
	if s.runner.Folder.Root().Remove(name) != nil {
		return "", ""
	}
	return verdict.Profile(s.runner.Options.ProfileMax), ""
}
