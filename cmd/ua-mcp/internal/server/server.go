// Package server starts MCP servers, each in a sandbox of its own, and speaks with them.
package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A Server is a connection to one server.
type Server struct {
	*mcp.ClientSession
	Name     string
	Settings config.Server

	key      string
	said     *tail
	mu       sync.Mutex
	progress map[string]func(string) // by the token of the call
	calls    atomic.Int64
}

// Connect starts the server, or connects to its URL. dir is the folder in which it works.
func Connect(ctx context.Context, name string, s config.Server, dir string) (*Server, error) {
	key, err := keyFrom(ctx, s.KeyCmd)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "api_key_cmd of [mcp.%s]: %v", name, err)
	}
	v := &Server{Name: name, Settings: s, key: key, said: &tail{},
		progress: map[string]func(string){}}
	client := mcp.NewClient(&mcp.Implementation{Name: "ua", Version: prog.Version()},
		&mcp.ClientOptions{
			// No model of ours is lent to a server, and nobody is asked for it.
			Capabilities:                &mcp.ClientCapabilities{},
			ProgressNotificationHandler: v.progressed,
		})
	var transport mcp.Transport
	if s.URL != "" {
		transport = remote(s.URL, key)
	} else if transport, err = v.command(key, dir); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	v.ClientSession, err = client.Connect(within, transport, nil)
	if err != nil {
		return nil, v.Failed(err)
	}
	return v, nil
}

// command returns the transport to a server that is a command. Its sandbox is what holds it
// to the level of its calls. The key is in its environment, and in no other program's.
func (v *Server) command(key, dir string) (mcp.Transport, error) {
	sandbox, err := prog.FindSibling("ua-sandbox")
	if err != nil {
		return nil, err
	}
	s, env := v.Settings, config.OutsideEnv(config.WithoutKeys(os.Environ()))
	args := []string{"--quiet"}
	switch {
	case len(s.Hosts) > 0:
		args = append(args, "--profile", string(verdict.ProfileNetwork))
		args = prog.Repeat(args, "--net-allow", s.Hosts)
		if s.Profile != string(verdict.ProfileWorkspace) {
			args = append(args, "--protect", dir)
		}
	case s.Profile == string(verdict.ProfileWorkspace) || len(s.Write) > 0:
		args = append(args, "--profile", string(verdict.ProfileWorkspace))
		if s.Profile != string(verdict.ProfileWorkspace) {
			args = append(args, "--protect", dir)
		}
	default:
		args = append(args, "--profile", string(verdict.ProfileReadOnly))
	}
	for _, path := range s.Read {
		args = append(args, "--read", config.Expand(path))
	}
	for _, path := range s.Write {
		args = append(args, "--write", config.Expand(path))
	}
	for name, value := range s.Env {
		env, args = append(env, name+"="+config.Expand(value)), append(args, "--env", name)
	}
	if s.KeyEnv != "" {
		env, args = append(env, s.KeyEnv+"="+key), append(args, "--env", s.KeyEnv)
	}
	args = append(append(args, "--", config.Expand(s.Command[0])), s.Command[1:]...)
	c := exec.Command(sandbox, args...)
	c.Dir, c.Env, c.Stderr = dir, env, v.said
	c.WaitDelay = endPatience
	c.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{Setsid: true}, syscall.SIGTERM)
	return &mcp.CommandTransport{Command: c, TerminateDuration: endPatience}, nil
}

// remote returns the transport to a server at a URL. The key goes to that host alone.
func remote(url, key string) mcp.Transport {
	client := &http.Client{Transport: bearer(key),
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if next.URL.Host != before[0].URL.Host || next.URL.Scheme != before[0].URL.Scheme ||
				len(before) > 5 {
				return fmt.Errorf("it sends to another place, %s", next.URL.Host)
			}
			return nil
		}}
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}
}

// A bearer sends a key with each request.
type bearer string

// RoundTrip sends a request with the key.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// keyFrom runs a command that prints a key.
func keyFrom(ctx context.Context, command string) (string, error) {
	if command == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	c.Env, c.Stderr = config.OutsideEnv(config.WithoutKeys(os.Environ())), os.Stderr
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}

// Call calls a tool. progress gets what the server tells meanwhile.
func (v *Server) Call(ctx context.Context, p *mcp.CallToolParams, progress func(string)) (
	*mcp.CallToolResult, error) {
	token := fmt.Sprint(v.calls.Add(1))
	p.SetProgressToken(token)
	v.mu.Lock()
	v.progress[token] = progress
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		delete(v.progress, token)
		v.mu.Unlock()
	}()
	return v.CallTool(ctx, p)
}

// progressed passes on what the server tells of a call that goes on.
func (v *Server) progressed(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	v.mu.Lock()
	tell := v.progress[fmt.Sprint(r.Params.ProgressToken)]
	v.mu.Unlock()
	if tell == nil {
		return
	}
	text := fmt.Sprint(r.Params.Progress)
	if r.Params.Total > 0 {
		text += fmt.Sprintf("/%v", r.Params.Total)
	}
	tell(strings.TrimSpace(text + " " + r.Params.Message))
}

// Hide takes the server's key out of a text: where it is told of, it has no place.
func (v *Server) Hide(text string) string {
	if v.key == "" {
		return text
	}
	return strings.ReplaceAll(text, v.key, "[the key of "+v.Name+"]")
}

// Failed returns the error of a server with the last that it has said on its stderr.
func (v *Server) Failed(err error) error {
	e := prog.Errorf(prog.TryLater, "%s: %w", v.Name, err)
	if said := v.said.last(); said != "" {
		return e.Hintf("the server said: %s", v.Hide(said))
	}
	return e
}

// A tail keeps the end of what a server says on its stderr.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the end of p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailMax):]
	return len(p), nil
}

// last returns the last lines as one.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.Join(bytes.Fields(bytes.ToValidUTF8(t.text, nil)), []byte(" ")))
}

// How long a server may take to start and to end, and the command that prints its key.
const (
	startPatience = time.Minute
	endPatience   = 2 * time.Second
	keyPatience   = time.Minute
)

// tailMax is how many bytes of a server's stderr are kept.
const tailMax = 1 << 10
