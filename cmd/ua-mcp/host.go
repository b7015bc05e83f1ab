package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"ua/cmd/ua-mcp/internal/server"
	"ua/cmd/ua-mcp/internal/tool"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A hostOf keeps the servers of a run, outside of the sandbox of its commands. It acts for
// the tokens of calls that the gate has judged: what a command says of itself counts for
// nothing, and what may be asked of a server stands in the verdict on its call.
type hostOf struct {
	servers config.Servers
	dir     string // in which servers work
	calls   judgedCalls

	mu      sync.Mutex
	running map[string]*running
}

// A running server is started once, by whoever asks first.
type running struct {
	mu sync.Mutex
	*server.Server
}

// host serves the commands of a run until its standard input, on which the verdicts come,
// ends.
func host(env *prog.Env, args []string) error {
	fs := prog.Flags()
	socket, token := -1, -1
	prog.Descriptor(fs, &socket, "socket-fd")
	prog.Descriptor(fs, &token, "token-fd")
	lives := fs.String("lives", "", "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if socket < 0 || token < 0 || *lives == "" {
		return prog.Errorf(prog.Trouble, "host: want --socket-fd, --token-fd and --lives")
	}
	servers, err := load()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return prog.Errorf(prog.Trouble, "the working directory: %v", err)
	}
	secret, err := io.ReadAll(io.LimitReader(os.NewFile(uintptr(token), "token"), 4096))
	if err != nil || len(secret) == 0 {
		return prog.Errorf(prog.Trouble, "--token-fd: no token")
	}
	listener, err := net.FileListener(os.NewFile(uintptr(socket), "socket"))
	if err != nil {
		return prog.Errorf(prog.Trouble, "--socket-fd: %v", err)
	}
	h := &hostOf{servers: servers, dir: dir, running: map[string]*running{}}
	h.calls.token, h.calls.lives = strings.TrimSpace(string(secret)), *lives
	h.calls.arrived = sync.NewCond(&h.calls.mu)
	ctx, stop := prog.Interruptible()
	defer stop()
	go func() {
		defer listener.Close()
		h.calls.hear(env.Stdin)
	}()
	go func() {
		<-ctx.Done()
		listener.Close()
	}()
	places := make(chan struct{}, mostAtOnce)
	for {
		conn, err := listener.Accept()
		if err != nil {
			h.close()
			return nil
		}
		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			defer conn.Close()
			h.serve(ctx, conn)
		}()
	}
}

// load returns the servers of the user's settings.
func load() (config.Servers, error) {
	var s struct {
		MCP config.Servers `toml:"mcp"`
	}
	if err := config.Load(&s); err != nil {
		return nil, err
	}
	return s.MCP, s.MCP.Check(config.Path())
}

// mostAtOnce is how many commands are served at once.
const mostAtOnce = 32

// serve answers one question.
func (h *hostOf) serve(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = conn.SetReadDeadline(time.Now().Add(questionPatience))
	in := bufio.NewReaderSize(io.LimitReader(conn, questionMax), 64<<10)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	go func() { // who asked is gone: the server is told that the call is over
		defer cancel()
		_, _ = io.Copy(io.Discard, conn)
	}()
	var mu sync.Mutex
	out := json.NewEncoder(conn)
	emit := func(r tool.Reply) {
		mu.Lock()
		defer mu.Unlock()
		if out.Encode(r) != nil {
			cancel()
		}
	}
	var q question
	if err = json.Unmarshal(line, &q); err == nil {
		err = h.answer(ctx, q, emit)
	}
	status := 0
	if err != nil {
		status = prog.Trouble
		var e *prog.Error
		var silent prog.Exit
		if errors.As(err, &silent) {
			status = int(silent)
		} else if errors.As(err, &e) {
			status = e.Status
		}
		if text := err.Error(); silent == 0 {
			emit(tool.Reply{Err: q.Name + ": " + strings.TrimPrefix(text, q.Name+": ")})
		}
		if e != nil && e.Hint != "" {
			emit(tool.Reply{Err: q.Name + ": hint: " + e.Hint})
		}
	}
	emit(tool.Reply{Exit: &status})
}

// questionPatience is how long a question may take to come.
const questionPatience = 30 * time.Second

// answer does what a question asks for, if the gate has judged it.
func (h *hostOf) answer(ctx context.Context, q question, emit func(tool.Reply)) error {
	s, ok := h.servers[q.Name]
	if !ok {
		return prog.Errorf(prog.Trouble, "%q: no such server", q.Name)
	}
	parts, err := h.calls.parts(q.Token)
	if err != nil {
		return err
	}
	v, err := h.server(ctx, q.Name, s)
	if err != nil {
		return err
	}
	r := tool.Request{Words: q.Words, Stdin: q.Stdin}
	r.May = func(words []string, least verdict.Level) error {
		return may(parts, q.Name, words, least)
	}
	err = r.Do(ctx, v, emit)
	if err != nil && ended(v) { // started anew by the next question
		h.forget(q.Name, v)
	}
	return err
}

// ended reports whether a server has ended, or does so now.
func ended(v *server.Server) bool {
	gone := make(chan struct{})
	go func() { _ = v.Wait(); close(gone) }()
	select {
	case <-gone:
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// server returns a server, which is started if it is not running.
func (h *hostOf) server(ctx context.Context, name string, s config.Server) (
	*server.Server, error) {
	h.mu.Lock()
	r := h.running[name]
	if r == nil {
		r = &running{}
		h.running[name] = r
	}
	h.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Server != nil {
		return r.Server, nil
	}
	// Not the context of the question: the server stays for the next one.
	v, err := server.Connect(context.WithoutCancel(ctx), name, s, h.dir)
	if err == nil {
		r.Server = v
	}
	return v, err
}

// forget has the next question start the server anew.
func (h *hostOf) forget(name string, v *server.Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.running[name]; r != nil && r.Server == v {
		delete(h.running, name)
	}
}

// close ends all servers.
func (h *hostOf) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all sync.WaitGroup
	for _, r := range h.running {
		if r.Server != nil {
			all.Go(func() { _ = r.Server.Close() })
		}
	}
	all.Wait()
}
