package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// A trialModel is a model that wants one command run. It speaks as much of four APIs
// (Anthropic's Messages, OpenAI's Responses and Chat Completions, Gemini's
// generateContent) and of HTTP/1.1 as agents need in a trial. Package net/http would make
// each start of the gate slower for this alone.
type trialModel struct {
	address        string
	command, token string

	listener int
	mu       sync.Mutex
	sent     bool // the call
	heard    bool // the token, which the gate gave as its reason
}

// trialCall is the ID of the one call.
const trialCall = "call_of_the_trial"

// startTrialModel serves the model on a free port of the loopback device.
func startTrialModel(command, token string) (*trialModel, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	// Port 0 has the kernel choose a free one (ip(7)).
	err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = unix.Listen(fd, 64)
	}
	at, err2 := unix.Getsockname(fd)
	if err == nil {
		err = err2
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	m := &trialModel{command: command, token: token, listener: fd}
	m.address = "http://127.0.0.1:" + strconv.Itoa(at.(*unix.SockaddrInet4).Port)
	go m.serve()
	return m, nil
}

// close ends the service.
func (m *trialModel) close() { unix.Close(m.listener) }

// told reports whether the model was told the gate's reason.
func (m *trialModel) told() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

// called reports whether the model has asked for its command.
func (m *trialModel) called() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sent
}

// serve accepts connections until close.
func (m *trialModel) serve() {
	for {
		fd, _, err := unix.Accept(m.listener)
		if err == unix.EINTR || err == unix.ECONNABORTED {
			continue
		}
		if err != nil {
			return
		}
		unix.CloseOnExec(fd)
		go m.answer(os.NewFile(uintptr(fd), "connection"))
	}
}

// answer serves one request and closes the connection.
func (m *trialModel) answer(conn *os.File) {
	defer conn.Close()
	req, err := readTrial(bufio.NewReader(conn), conn)
	if err != nil {
		return
	}
	kind, text := "application/json", "{}"
	if req.method == "POST" {
		kind, text = m.say(req.path, req.body)
	}
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: "+
		"close\r\n\r\n%s",
		kind, len(text), text)
}

// A trialRequest is the part of a request that the model needs.
type trialRequest struct{ method, path, body string }

// readTrial reads a request, and writes the answer to "Expect: 100-continue" to w.
func readTrial(r *bufio.Reader, w io.Writer) (req trialRequest, err error) {
	line, err := trialLine(r)
	header := map[string]string{}
	// A header without end must not keep the trial waiting.
	for n := 0; err == nil && n < 1000; n++ {
		var field string
		if field, err = trialLine(r); field == "" {
			break
		}
		name, value, _ := strings.Cut(field, ":")
		header[strings.ToLower(name)] = strings.ToLower(strings.TrimSpace(value))
	}
	if err != nil {
		return req, err
	}
	if header["expect"] == "100-continue" {
		io.WriteString(w, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	method, rest, _ := strings.Cut(line, " ")
	path, _, _ := strings.Cut(rest, " ")
	body, err := trialBody(r, header)
	return trialRequest{method, path, body}, err
}

// trialLine returns a line of a request's head without its end.
func trialLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	return strings.TrimRight(string(line), "\r\n"), err
}

// trialBody returns a request's body, by its length or in chunks (RFC 9112, section 6).
func trialBody(r *bufio.Reader, header map[string]string) (string, error) {
	var b strings.Builder
	if header["transfer-encoding"] != "chunked" {
		n, _ := strconv.ParseInt(header["content-length"], 10, 64)
		_, err := io.CopyN(&b, r, min(n, maxTrialBody))
		return b.String(), err
	}
	for b.Len() < maxTrialBody {
		line, err := trialLine(r)
		if err != nil {
			return "", err
		}
		n, err := strconv.ParseUint(strings.TrimSpace(line), 16, 24)
		if err != nil || n == 0 {
			return b.String(), err
		}
		if _, err := io.CopyN(&b, r, int64(n)); err != nil {
			return "", err
		}
		if _, err := trialLine(r); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// say returns the model's answer to a request. The answer is the call if a shell is among
// the tools and the call was not answered yet, and a word otherwise.
func (m *trialModel) say(path, body string) (kind, text string) {
	path, _, _ = strings.Cut(path, "?")
	m.mu.Lock()
	defer m.mu.Unlock()
	// The denial comes back to the model as the tool's result.
	m.heard = m.heard || strings.Contains(body, m.token)
	tool := shellTool(body)
	answered := strings.Contains(body, trialCall) || strings.Contains(body, `"functionResponse"`)
	call := tool != "" && !m.heard && !answered
	m.sent = m.sent || call
	if !call {
		tool = ""
	}
	args := trialArgs(tool, m.command)
	switch {
	case strings.HasSuffix(path, "/messages"):
		return trialMessages(tool, args)
	case strings.HasSuffix(path, "/responses"):
		return trialResponses(tool, args)
	case strings.HasSuffix(path, "/chat/completions"):
		return trialChat(tool, args)
	case strings.Contains(path, "enerateContent"):
		return trialGenerate(tool, args, strings.Contains(path, ":stream"))
	}
	return "application/json", `{"input_tokens":1,"totalTokens":1}`
}

// shellTool returns the name of the tool in a request that runs commands, or "".
func shellTool(body string) string {
	var names []string
	for _, path := range []string{
		"tools.#.name", "tools.#.function.name", "tools.#.functionDeclarations.#.name|@flatten",
	} {
		for _, n := range gjson.Get(body, path).Array() {
			names = append(names, n.Str)
		}
	}
	for _, want := range []string{"Bash", "shell_command", "exec_command", "shell",
		"run_shell_command", "bash"} {
		for _, n := range names {
			if n == want {
				return n
			}
		}
	}
	return ""
}

// trialArgs returns the arguments that have the tool run the command.
func trialArgs(tool, command string) string {
	switch tool {
	case "exec_command":
		return `{"cmd":` + quoted(command) + `}`
	case "run_shell_command":
		return `{"command":` + quoted(command) + `,"description":"a trial","is_background":false}`
	case "shell":
		return `{"command":["bash","-lc",` + quoted(command) + `]}`
	}
	return `{"command":` + quoted(command) + `,"description":"a trial"}`
}
