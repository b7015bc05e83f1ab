package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/folder"
	"ua/internal/common/jobs"
	"ua/internal/common/places"
	"ua/internal/common/verdict"
)

// A control is the socket through which programs start commands in the background and
// control them: ua job, in a command of the run or outside of it. It is in the folder of
// outputs, and listens from the first command on that could need it.
//
// A client has the rights of the profile whose token it gives; only a command of that
// profile that is still running knows the token. A client that can create a file in the
// folder of outputs has all rights of this program, since commands cannot do that. Nobody
// gains rights by asking.
type control struct {
	once   sync.Once
	path   string // of the socket, "" where there is none
	dir    *os.File
	places places.Set // of connections
	mu     sync.Mutex
	jobs   map[string]*execution // by the names of their records
	number int                   // of those that were started here
}

// openControl creates the socket once. There is none if that fails, or if the folder is a
// private one, because commands can write there.
func (x *executor) openControl() {
	if x.opts.dir == "" {
		return
	}
	c := &x.control
	c.once.Do(func() {
		c.jobs = map[string]*execution{}
		c.places = places.Set{Most: controlSlots, Open: controlOpen, Young: controlYoung,
			Share: controlShare, Wait: controlWait}
		l, err := x.listen()
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
				place := c.places.Take(x.ctx, func() { conn.Close() })
				if place == nil {
					conn.Close()
					return
				}
				go func() {
					defer conn.Close()
					defer place.Leave()
					x.attend(conn.(*net.UnixConn), place)
				}()
			}
		}()
	})
}

// listen listens in the folder of outputs. The name of a socket has at most 107 bytes
// (unix(7)), so it is bound through the folder's descriptor.
func (x *executor) listen() (net.Listener, error) {
	if err := x.folder.Make(); err != nil {
		return nil, err
	}
	name := jobs.Socket
	if x.opts.above != "" {
		name = jobs.SocketOver
	}
	_ = x.folder.Root().Remove(name) // that of a run that was killed
	dir, err := os.Open(x.folder.Path)
	if err != nil {
		return nil, err
	}
	private := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		_ = c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) }) // before it has a name
		return err
	}}
	l, err := private.Listen(x.ctx, "unix", jobs.Address(dir, name))
	if err != nil {
		dir.Close()
		return nil, err
	}
	x.control.dir = dir
	x.control.path = filepath.Join(x.folder.Path, name)
	return l, nil
}

// close removes the socket.
func (c *control) close() {
	if c.path != "" {
		os.Remove(c.path)
	}
}

// name returns the name of the socket, or "" without one.
func (c *control) name() string {
	if c.path == "" {
		return ""
	}
	return filepath.Base(c.path)
}

// controlEnv returns the variables that tell a command which starts ua about the socket.
func (x *executor) controlEnv(c *call, l environ.Credential) []string {
	if !c.delegates || x.control.path == "" {
		return nil
	}
	return []string{jobs.EnvSocket + "=" + x.control.path,
		jobs.EnvToken + "=" + x.environ.JobsToken(c.profile, l)}
}

// attend answers the request of one connection.
func (x *executor) attend(conn *net.UnixConn, place *places.Place) {
	say := func(r jobs.Reply) {
		line, err := json.Marshal(r)
		if err == nil {
			_ = conn.SetWriteDeadline(time.Now().Add(requestTime))
			_, _ = conn.Write(append(line, '\n'))
		}
	}
	in := bufio.NewReader(conn)
	_ = conn.SetReadDeadline(time.Now().Add(requestTime))
	q, err := readRequest(in)
	if err != nil {
		say(jobs.Reply{Error: "not a request: " + err.Error()})
		return
	}
	right, client := x.right(q.Token, in, say)
	// The input of a job may come at any time.
	_ = conn.SetReadDeadline(time.Time{})
	switch {
	case right == "":
		say(jobs.Reply{Error: "permission denied"})
	case !place.Hold(x.ctx, client):
		say(jobs.Reply{Error: "too many requests, or the end of the run"})
	case q.Do == "start":
		say(x.startJob(&q, right))
	case q.Do == "keep" || q.Do == "recall":
		say(x.keep(&q, right))
	case q.Do == "stop":
		say(x.control.steer(q.Job, right, func(e *execution) jobs.Reply { return e.end(&q) }))
	case q.Do == "in":
		say(x.control.steer(q.Job, right, func(e *execution) jobs.Reply {
			return e.feed(conn, in, q.EOF)
		}))
	default:
		say(jobs.Reply{Error: fmt.Sprintf("%.40q: want start, keep, stop or in", q.Do)})
	}
}

// readRequest reads one line and parses it as a request. Its length is limited.
func readRequest(r *bufio.Reader) (q jobs.Request, err error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return q, json.Unmarshal(line, &q)
		}
		if err != bufio.ErrBufferFull {
			return q, err
		}
		if len(line) > requestMax {
			return q, bufio.ErrTooLong
		}
	}
}

// right returns the profile that a token stands for, and the ID of the command that has
// it. Without a token it asks the client to create a file with a random name; a client
// that can do so gets the widest profile of this program. "" means no rights.
func (x *executor) right(
	token string, in io.Reader, say func(jobs.Reply),
) (p verdict.Profile, client string) {
	if p, id := x.environ.Bearer(token); p != "" && x.stands(id, p) {
		return p, id
	}
	if token != "" {
		return "", ""
	}
	name := ".right-" + folder.Random() + folder.Random() + folder.Random()
	say(jobs.Reply{Create: name})
	if _, err := io.ReadFull(in, make([]byte, 1)); err != nil {
		return "", ""
	}
	if x.folder.Root().Remove(name) != nil {
		return "", ""
	}
	return verdict.Profile(x.opts.profileMax), ""
}

// steer calls do for the job of that name, if the job's profile is within the right.
func (c *control) steer(
	name string, right verdict.Profile, do func(*execution) jobs.Reply,
) jobs.Reply {
	c.mu.Lock()
	e := c.jobs[name]
	c.mu.Unlock()
	switch {
	case e == nil:
		return jobs.Reply{Error: fmt.Sprintf("%.80q: no such job here", name)}
	case !e.call.profile.Within(right):
		return jobs.Reply{Error: fmt.Sprintf("%s runs in profile %s, and you run in %s", name,
			e.call.profile, right)}
	}
	return do(e)
}

// take makes a command in the background known by the name of its record.
func (c *control) take(e *execution) {
	if e.record == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jobs == nil {
		return
	}
	if len(c.jobs) >= 4*controlJobs { // what has ended is let go
		maps.DeleteFunc(c.jobs, func(_ string, e *execution) bool { return e.isOver() })
	}
	c.jobs[jobs.Name(e.record)] = e
}
