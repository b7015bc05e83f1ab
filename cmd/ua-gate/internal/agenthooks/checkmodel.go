package agenthooks

import (
	"bufio"
	"cmp"
	_ "embed" // for trialsText
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// trialsText says how the model of a trial speaks. The file explains its members.
//
//go:embed checkmodel.toml
var trialsText string

// A trialTable is the shape of trialsText.
type trialTable struct {
	Call []struct{ Tool, Args string }
	Wire []struct{ Path, Lines string }
}

// A trialModel is a model that wants one command run. It speaks as much of four APIs and of
// HTTP/1.1 as agents need in a trial. Package net/http would make each start of the gate slower
// for this alone.
type trialModel struct {
	trialTable
	address        string
	command, token string
	listener       *os.File
	called, told   atomic.Bool // it has sent the call, and was told the token, the gate's reason
}

// startTrialModel serves the model on a free port of the loopback device, which the kernel
// chooses (ip(7)).
func startTrialModel(command, token string) (*trialModel, error) {
	var t trialTable
	if _, err := toml.Decode(trialsText, &t); err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	var at unix.Sockaddr
	if err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err == nil {
		if err = unix.Listen(fd, 64); err == nil {
			at, err = unix.Getsockname(fd)
		}
	}
	if err == nil {
		err = unix.SetNonblock(fd, true) // then Go's poller waits, and close ends that
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	m := &trialModel{trialTable: t, command: command, token: token,
		listener: os.NewFile(uintptr(fd), "listener")}
	m.address = "http://127.0.0.1:" + strconv.Itoa(at.(*unix.SockaddrInet4).Port)
	go m.serve()
	return m, nil
}

// close ends the service.
func (m *trialModel) close() { _ = m.listener.Close() }

// serve accepts connections until close.
func (m *trialModel) serve() {
	listener, err := m.listener.SyscallConn()
	for err == nil || err == unix.EINTR || err == unix.ECONNABORTED {
		var failed error
		err = listener.Read(func(fd uintptr) bool {
			var conn int
			if conn, _, failed = unix.Accept(int(fd)); failed == nil {
				unix.CloseOnExec(conn)
				go m.answer(os.NewFile(uintptr(conn), "connection"))
			}
			return failed != unix.EAGAIN
		})
		err = cmp.Or(err, failed)
	}
}

// answer serves one request and closes the connection.
func (m *trialModel) answer(conn *os.File) {
	defer conn.Close()
	path, body, err := readTrial(bufio.NewReader(conn))
	if err != nil {
		return
	}
	kind, text := m.say(path, body)
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", kind, len(text), text)
}

// maxTrialBody is how many bytes an agent's request to the test model may have.
const maxTrialBody = 32 << 20

// readTrial reads a request, whose body has a stated length: agents send no chunks.
func readTrial(r *bufio.Reader) (path, body string, err error) {
	length, first := int64(0), ""
	for n := 0; n < 1000; n++ { // a header without end must not keep the trial waiting
		line, err := r.ReadSlice('\n')
		field := strings.TrimRight(string(line), "\r\n")
		if n == 0 {
			first = field
		}
		if err != nil || field == "" {
			break
		}
		if name, value, _ := strings.Cut(field, ":"); strings.EqualFold(name, "content-length") {
			length, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
	}
	words := strings.Fields(first)
	if len(words) < 2 {
		return "", "", io.ErrUnexpectedEOF
	}
	text, err := io.ReadAll(io.LimitReader(r, max(0, min(length, maxTrialBody))))
	return words[1], string(text), err
}

// say returns the model's answer to a request. The answer is the call if a shell is among
// the tools and the call was not answered yet, and a word otherwise.
func (m *trialModel) say(path, body string) (kind, text string) {
	path, _, _ = strings.Cut(path, "?")
	// The denial comes back to the model as the tool's result.
	if strings.Contains(body, m.token) {
		m.told.Store(true)
	}
	tool, args := m.tool(body)
	if m.told.Load() || strings.Contains(body, "call_of_the_trial") ||
		strings.Contains(body, `"functionResponse"`) {
		tool = ""
	}
	for _, w := range m.Wire {
		if !strings.Contains(path, w.Path) {
			continue
		}
		if tool != "" {
			m.called.Store(true)
		}
		answer := choose(w.Lines, tool, args)
		if w.Path == "enerateContent" && !strings.Contains(path, ":stream") {
			return "application/json", answer
		}
		return "text/event-stream", events(answer)
	}
	return "application/json", `{"input_tokens":1,"totalTokens":1}`
}

// tool returns the tool in a request that runs commands, and the arguments that have it run the
// model's command; "" for none.
func (m *trialModel) tool(body string) (name, args string) {
	for _, call := range m.Call {
		for _, path := range []string{"tools.#.name", "tools.#.function.name",
			"tools.#.functionDeclarations.#.name|@flatten"} {
			for _, n := range gjson.Get(body, path).Array() {
				if n.Str == call.Tool {
					return n.Str, strings.ReplaceAll(call.Args, "COMMAND", quoted(m.command))
				}
			}
		}
	}
	return "", ""
}

// choose returns the lines with the call of the tool, or with a word if there is none.
func choose(lines, tool, args string) string {
	var b strings.Builder
	for i, piece := range strings.Split(joined(lines), "⟨") {
		choice, rest, is := strings.Cut(piece, "⟩")
		if i == 0 || !is {
			b.WriteString(piece)
			continue
		}
		word, call, _ := strings.Cut(choice, "|")
		if tool != "" {
			word = strings.NewReplacer("TOOL", quoted(tool), "TEXT", quoted(args), "ARGS", args).
				Replace(call)
		}
		b.WriteString(word + rest)
	}
	return b.String()
}

// events returns lines as server-sent events (HTML Living Standard, section 9.2), with the names
// of those that have a type.
func events(lines string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(lines, "\n") {
		if typ := gjson.Get(line, "type").Str; typ != "" {
			b.WriteString("event: " + typ + "\n")
		}
		b.WriteString("data: " + line + "\n\n")
	}
	return b.String()
}
