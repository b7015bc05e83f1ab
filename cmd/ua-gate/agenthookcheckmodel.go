package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// A trialModel is a model that wants one command run. It speaks as much of four APIs and of
// HTTP/1.1 as agents need in a trial. Package net/http would make each start of the gate slower
// for this alone.
type trialModel struct {
	address        string
	command, token string
	listener       int
	called, told   atomic.Bool // it has sent the call, and was told the token, the gate's reason
}

// startTrialModel serves the model on a free port of the loopback device, which the kernel
// chooses (ip(7)).
func startTrialModel(command, token string) (*trialModel, error) {
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
	path, body, err := readTrial(bufio.NewReader(conn))
	if err != nil {
		return
	}
	kind, text := m.say(path, body)
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", kind, len(text), text)
}

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
	tool := shellTool(body)
	if m.told.Load() || strings.Contains(body, "call_of_the_trial") ||
		strings.Contains(body, `"functionResponse"`) {
		tool = ""
	}
	for _, w := range wires {
		if !strings.Contains(path, w.path) {
			continue
		}
		if tool != "" {
			m.called.Store(true)
		}
		answer := w.answer(tool, trialArgs(tool, m.command))
		if w.path == "enerateContent" && !strings.Contains(path, ":stream") {
			return "application/json", answer
		}
		return "text/event-stream", events(answer)
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
		if slices.Contains(names, want) {
			return want
		}
	}
	return ""
}

// trialArgs returns the arguments that have the tool run the command.
func trialArgs(tool, command string) string {
	switch tool {
	case "exec_command":
		return `{"cmd":` + quoted(command) + `}`
	case "shell":
		return `{"command":["bash","-lc",` + quoted(command) + `]}`
	}
	more := "" // which qwen-code wants, and claude-code refuses
	if tool == "run_shell_command" {
		more = `,"is_background":false`
	}
	return `{"command":` + quoted(command) + `,"description":"a trial"` + more + `}`
}

// A wire is how the model answers on paths that hold one: JSON in lines, each of which is a
// server-sent event. Where a word and the call differ, both stand between the brackets.
type wire struct{ path, lines string }

// wires are those of Anthropic's Messages (docs.anthropic.com/en/api/messages-streaming), OpenAI's
// Responses and Chat Completions (platform.openai.com/docs/api-reference), and Gemini's
// generateContent (ai.google.dev/api/generate-content).
var wires = []wire{{"/messages", `
{"type":"message_start","message":{"id":"msg_trial","type":"message","role":"assistant",
 "model":"trial","content":[],"stop_reason":null,"stop_sequence":null,
 "usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":⟨{"type":"text","text":""}|
 {"type":"tool_use","id":"call_of_the_trial","name":TOOL,"input":{}}⟩}
{"type":"content_block_delta","index":0,"delta":⟨{"type":"text_delta","text":"done"}|
 {"type":"input_json_delta","partial_json":TEXT}⟩}
{"type":"content_block_stop","index":0}
{"type":"message_delta","delta":{"stop_reason":⟨"end_turn"|"tool_use"⟩,"stop_sequence":null},
 "usage":{"output_tokens":1}}
{"type":"message_stop"}`}, {"/responses", `
{"type":"response.created","response":{"id":"resp_trial"}}
{"type":"response.output_item.done","output_index":0,"item":⟨{"type":"message","id":"msg_trial",
 "role":"assistant","content":[{"type":"output_text","text":"done","annotations":[]}]}|
 {"type":"function_call","id":"fc_trial","call_id":"call_of_the_trial","name":TOOL,
 "arguments":TEXT}⟩}
{"type":"response.completed","response":{"id":"resp_trial","output":[],"usage":{"input_tokens":1,
 "input_tokens_details":{"cached_tokens":0},"output_tokens":1,
 "output_tokens_details":{"reasoning_tokens":0},"total_tokens":2}}}`}, {"/chat/completions", `
{"id":"chatcmpl-trial","object":"chat.completion.chunk","created":1,"model":"trial","choices":[
 {"index":0,"delta":{"role":"assistant",⟨"content":"done"|"content":null,"tool_calls":[{"index":0,
 "id":"call_of_the_trial","type":"function","function":{"name":TOOL,"arguments":TEXT}}]⟩},
 "finish_reason":null}]}
{"id":"chatcmpl-trial","object":"chat.completion.chunk","created":1,"model":"trial","choices":[
 {"index":0,"delta":{},"finish_reason":⟨"stop"|"tool_calls"⟩}]}
[DONE]`}, {"enerateContent", `
{"candidates":[{"content":{"role":"model","parts":[⟨{"text":"done"}|
 {"functionCall":{"id":"call_of_the_trial","name":TOOL,"args":ARGS}}⟩]},"finishReason":"STOP",
 "index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},
 "modelVersion":"trial"}`}}

// answer returns the lines with the call of the tool, or with a word if there is none.
func (w wire) answer(tool, args string) string {
	var b strings.Builder
	pieces := strings.Split(strings.ReplaceAll(strings.TrimSpace(w.lines), "\n ", ""), "⟨")
	b.WriteString(pieces[0])
	for _, piece := range pieces[1:] {
		choice, rest, _ := strings.Cut(piece, "⟩")
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
