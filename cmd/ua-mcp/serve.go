package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/uaclient"
)

// A hands is what serve lends to a client: a run of ua whose model is the client. Each call
// of the tool is an answer of that model, so all that holds for a run holds for it: the gate,
// the sandbox, the try, the journal. The run is started by the first call. It ends where a
// call is cancelled, or by a limit of its own; then the next call resumes it.
type hands struct {
	args  []string
	dir   string // of calls, by which they get to the run
	asks  bool   // the client can ask its person
	slot  chan struct{}
	run   *uaclient.Run
	calls *os.File
	id    string // of the run, once there was one
	n     int    // calls so far

	mu    sync.Mutex
	asked string      // the call about which the client has been asked; it holds the slot
	late  *time.Timer // for the answer
}

// A shellCall is what a client may say of a command.
type shellCall struct {
	Command   string `json:"command" jsonschema:"bash source text"`
	TimeoutMS int    `json:"timeout_ms,omitempty" jsonschema:"time limit, 120000 unless given"`
}

// aboutShell is what a client's model is told.
const aboutShell = "Run a command with bash and return its output. Each call is a new bash in " +
	"the same folder, in a sandbox: a gate judges the command first, and says why when it " +
	"refuses. cd and variables do not last, files do; there is no terminal, and background " +
	"processes end with the server."

// answerTime is how long a question waits for the client's person, nextTime how long the next
// call waits for an open question. A client that could not ask says nothing of it.
const (
	answerTime = 5 * time.Minute
	nextTime   = time.Minute
)

// goodbye is what the run says last.
const goodbye = `[{"type":"text","text":"The client has closed the connection."}]`

// serveShell lends a confined shell to an MCP client on standard input and output, until that
// ends.
func serveShell(env *prog.Env, args []string) error {
	for _, a := range args {
		if strings.TrimLeft(a, "-") == "help" {
			env.Page(help + "\n")
			return nil
		}
	}
	if err := uaclient.Options(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ua-mcp-")
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer os.RemoveAll(dir)
	h := &hands{args: args, dir: dir, slot: make(chan struct{}, 1)}
	s := mcp.NewServer(&mcp.Implementation{Name: "ua", Version: prog.Version()},
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if err != nil && method == "tools/call" {
				h.giveUp() // the client could not ask, for one
			}
			return res, err
		}
	})
	mcp.AddTool(s, &mcp.Tool{Name: "shell", Description: aboutShell}, h.shell)
	ctx, stop := prog.Interruptible()
	defer stop()
	err = s.Run(ctx, patient{&mcp.IOTransport{Reader: env.Stdin, Writer: env.Stdout}, env.Stdout})
	h.giveUp()
	h.slot <- struct{}{} // the commands of calls have ended with their contexts
	if h.run != nil {
		go fmt.Fprintf(h.calls, "%s\n", event.New("response").Str("model", "mcp").
			Str("stop_reason", "end_turn").Raw("content", []byte(goodbye)).Line())
		h.run.Drain()
	}
	h.end()
	if h.id != "" {
		env.Warnf("run %s", h.id)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil && err != io.EOF {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	return nil
}

// shell runs a command. A question to the client's person ends the call, as the protocol wants
// it; the next one brings the answer.
func (h *hands) shell(ctx context.Context, req *mcp.CallToolRequest, in shellCall) (
	*mcp.CallToolResult, any, error) {
	if id := req.Params.RequestState; id != "" {
		return h.answered(ctx, req, id)
	}
	for waits := true; waits; {
		select {
		case h.slot <- struct{}{}:
			waits = false
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(nextTime):
			h.giveUp()
		}
	}
	if strings.TrimSpace(in.Command) == "" {
		<-h.slot
		return nil, nil, fmt.Errorf("the command is empty")
	}
	if err := h.ready(req); err != nil {
		h.end()
		<-h.slot
		return nil, nil, err
	}
	h.n++
	id := fmt.Sprintf("mcp%d", h.n)
	input := map[string]any{"command": in.Command}
	if in.TimeoutMS > 0 {
		input["timeout_ms"] = in.TimeoutMS
	}
	call := event.New("tool_call").Str("id", id).Str("name", "shell").Raw("input", jsonOf(input))
	answer := event.New("response").Str("model", "mcp").Str("stop_reason", "tool_use").
		Raw("content", jsonOf([]any{map[string]any{"type": "tool_use", "id": id, "name": "shell",
			"input": input}}))
	go fmt.Fprintf(h.calls, "%s\n%s\n", call.Line(), answer.Line()) // if not, the run ends
	return h.result(ctx, req, id)
}

// ready has the run wait for a call.
func (h *hands) ready(req *mcp.CallToolRequest) error {
	for h.run != nil {
		line := h.run.Next()
		if line == nil {
			h.end()
		} else if event.Type(line) == "turn" {
			return nil
		}
	}
	path := filepath.Join(h.dir, "calls")
	err := syscall.Mkfifo(path, 0o600)
	if err == nil {
		h.calls, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return err
	}
	client := "an MCP client"
	if p := req.Session.InitializeParams(); p != nil {
		h.asks = p.Capabilities != nil && p.Capabilities.Elicitation != nil
		if p.ClientInfo != nil {
			client = style.FirstLine(p.ClientInfo.Name, 80)
		}
	}
	// The stage has nothing to ask: it hands on what the client says, until ua ends its input.
	quoted := prog.Quoted(path)
	args := []string{"--json", "-q", "--max-turns", "1000000", "--max-commands", "1000000",
		"--think", "cat " + quoted + " & cat >/dev/null; kill $!"}
	if h.asks {
		args = append(args, "--ask", "--ask-timeout", answerTime.String())
	}
	if h.id != "" {
		args = append([]string{"resume"}, append(args, h.id, "the client goes on")...)
	} else {
		args = append(append(args, h.args...), "--", "commands of "+client)
	}
	if h.run, err = uaclient.Start("", nil, nil, args...); err != nil {
		return err
	}
	h.run.ID = h.id
	if _, err = h.calls.WriteString("{\"type\":\"ready\"}\n"); err != nil {
		return err
	}
	for turn, reads := false, false; !turn || !reads; {
		line := h.run.Next()
		switch event.Type(line) {
		case "turn":
			turn = true
		case "ready": // the stage has opened it, and no command ever can
			reads = os.Remove(path) == nil
		case "run":
			h.id = h.run.ID
		}
		if line == nil {
			_, said := h.run.End()
			return fmt.Errorf("the run did not start: %s", said)
		}
	}
	return nil
}

// end ends the run, if there is one.
func (h *hands) end() {
	if h.calls != nil {
		h.calls.Close() // what reads from it would else keep ua waiting
		os.Remove(filepath.Join(h.dir, "calls"))
	}
	if h.run != nil {
		h.run.Interrupt()
		h.run.Drain()
	}
	h.calls, h.run = nil, nil
}

// result waits for the result of a call, or for a question about it.
func (h *hands) result(ctx context.Context, req *mcp.CallToolRequest, id string) (
	*mcp.CallToolResult, any, error) {
	for {
		select {
		case <-ctx.Done():
			h.end()
			<-h.slot
			return nil, nil, ctx.Err()
		case line, ok := <-h.run.Events:
			switch {
			case !ok:
				_, said := h.run.End()
				h.end()
				<-h.slot
				return nil, nil, fmt.Errorf("the run has ended: %s", said)
			case event.Str(line, "call_id") != id:
			case event.Type(line) == "ask" && h.asks:
				return h.ask(id, line), nil, nil
			case event.Type(line) == "delta":
				h.progress(ctx, req, line)
			case event.Type(line) == "tool_result":
				<-h.slot
				return h.told(line), nil, nil
			}
		}
	}
}

// progress tells the client, if it wants to know, the newest line of a command.
func (h *hands) progress(ctx context.Context, req *mcp.CallToolRequest, line []byte) {
	if token := req.Params.GetProgressToken(); token != nil {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
			Message:  style.FirstLine(event.Str(line, "text"), 200),
			Progress: float64(time.Now().UnixMilli())}) // which has to grow
	}
}

// told returns what a client is told of a result.
func (h *hands) told(line []byte) *mcp.CallToolResult {
	text := event.Str(line, "output")
	status, code := event.Str(line, "status"), gjson.GetBytes(line, "exit_code")
	switch {
	case status == "denied" && !h.asks:
		text += "\nNobody can be asked here: the client offers no elicitation. A person can run it by " +
			"hand; what ua's policy may allow is in ua-policy(5)."
	case status != "run" && status != "":
		text += "\n[" + status + "]"
	case code.Int() != 0:
		text += fmt.Sprintf("\n[exit status %d]", code.Int())
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}},
		IsError: status != "run" || code.Int() != 0}
}

// askSchema is the form of a question. Nothing in it is yes unless the person makes it so.
const askSchema = `{"type":"object","properties":{"run":{"type":"boolean","title":"Run it",` +
	`"default":false}},"required":["run"]}`

// ask returns a question to the client's person.
func (h *hands) ask(id string, line []byte) *mcp.CallToolResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked, h.late = id, time.AfterFunc(answerTime, h.giveUp)
	return &mcp.CallToolResult{RequestState: id, InputRequests: mcp.InputRequestMap{
		"ask": &mcp.ElicitParams{Mode: "form", RequestedSchema: json.RawMessage(askSchema),
			Message: fmt.Sprintf("Run this command? It is %s: %s\n\n%s", event.Str(line, "risk"),
				style.Printable(event.Str(line, "reason")), style.Printable(event.Str(line, "command")))}}}
}

// take takes the open question, that about a call if one is named: once.
func (h *hands) take(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked == "" || id != "" && id != h.asked {
		return false
	}
	h.late.Stop()
	h.asked = ""
	return true
}

// giveUp ends the run whose question the client has not answered, if there is one.
func (h *hands) giveUp() {
	if h.take("") {
		h.end()
		<-h.slot
	}
}

// answered takes the answer to a question, which is no unless it is plainly yes, and waits on.
func (h *hands) answered(ctx context.Context, req *mcp.CallToolRequest, id string) (
	*mcp.CallToolResult, any, error) {
	if !h.take(id) {
		return nil, nil, fmt.Errorf("there is no open question")
	}
	text := "no"
	if r, ok := req.Params.InputResponses["ask"].(*mcp.ElicitResult); ok && r.Action == "accept" &&
		r.Content["run"] == true {
		text = "yes"
	}
	if err := h.run.Answer(id, text); err != nil {
		h.end()
		<-h.slot
		return nil, nil, err
	}
	return h.result(ctx, req, id)
}
