// Package modeltest is a model's server for tests. Only tests import it.
package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Model is a server that speaks Anthropic's Messages API and OpenAI's Chat
// Completions. What it answers stands in the file "model" of a script: answers
// apart by lines of "---", each with lines of
//
//	text: WORDS        a text block
//	think: WORDS       a thinking block (of Anthropic's API)
//	call: COMMAND      a call of the tool shell ("\n" is a newline)
//	tool: NAME JSON    a call of another tool
//	stop: REASON       the stop reason, in the API's own word
//	pieces: N          send N bytes at a time
//	delay: DURATION    wait before each piece
//	cut                close the connection in place of the end
//	hang               send nothing more, and wait
//	status: CODE [HEADER: VALUE]  refuse once, then answer
//
// The answer to a request is that with the number of assistant messages in it.
// A model NAME for which there is a file "model.NAME" takes its answers from there.
// It is strict: a request that breaks a rule of the API gets status 400.
type Model struct {
	// AnyTurn has it answer by the number of requests: old turns may be cut.
	AnyTurn bool

	Dir     string // see New
	mu      sync.Mutex
	n       int
	refused map[string]bool
}

type answer struct {
	blocks []block
	stop   string
	pieces int
	delay  time.Duration
	end    string // cut or hang
	status int
	header [2]string
}

type block struct{ kind, name, text string }

// New returns a Model whose answers stand in the file "model" of the folder, where
// the folder "requests" gets the requests, each in a file with its number.
func New(dir string) *Model { return &Model{Dir: dir, refused: map[string]bool{}} }

// Requests returns the files of the requests that came, in the names' order.
func (m *Model) Requests() []string {
	list, _ := filepath.Glob(filepath.Join(m.Dir, "requests/*"))
	return list
}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.n++
	nth := m.n - 1
	os.MkdirAll(filepath.Join(m.Dir, "requests"), 0o755)
	os.WriteFile(filepath.Join(m.Dir, "requests", strconv.Itoa(m.n)), body, 0o644)
	m.mu.Unlock()
	var req struct {
		Model    string
		Messages []json.RawMessage
		Stream   bool
	}
	if err := json.Unmarshal(body, &req); err != nil || !req.Stream {
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"no streaming JSON request"}}`,
			400)
		return
	}
	chat := strings.HasSuffix(r.URL.Path, "/chat/completions")
	turn, err := conversation(req.Messages, chat)
	if m.AnyTurn {
		turn = nth
	}
	answers, err2 := m.answers(req.Model)
	if err == nil {
		err = err2
	}
	if err == nil && turn >= len(answers) {
		err = fmt.Errorf("no answer %d", turn)
	}
	if err != nil {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%q}}`,
			err.Error())
		return
	}
	a := answers[turn]
	m.mu.Lock()
	key := fmt.Sprint(turn, a)
	refuse := a.status != 0 && !m.refused[key]
	m.refused[key] = true
	m.mu.Unlock()
	if refuse {
		if a.header[0] != "" {
			w.Header().Set(a.header[0], a.header[1])
		}
		w.WriteHeader(a.status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"refused","message":"status %d it is"}}`,
			a.status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	text := a.messages()
	if chat {
		text = a.chat()
	}
	send(w, r, a, text)
}

// conversation checks the rules that both APIs have in common and returns how
// many answers the conversation holds.
func conversation(messages []json.RawMessage, chat bool) (turns int, err error) {
	open, last := map[string]bool{}, ""
	for i, raw := range messages {
		var m struct {
			Role       string
			Content    json.RawMessage
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
			ToolCallID string                `json:"tool_call_id"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return 0, err
		}
		var blocks []struct {
			Type, ID, Text string
			ToolUseID      string `json:"tool_use_id"`
		}
		json.Unmarshal(m.Content, &blocks)
		if m.Role == last && !chat {
			return 0, fmt.Errorf("message %d: roles must alternate", i)
		}
		last = m.Role
		if m.Role == "assistant" {
			turns++
			if len(open) > 0 {
				return 0, fmt.Errorf("message %d: a call has no result", i)
			}
			for _, c := range m.ToolCalls {
				open[c.ID] = true
			}
		}
		if m.ToolCallID != "" {
			if !open[m.ToolCallID] {
				return 0, fmt.Errorf("message %d: a result without its call", i)
			}
			delete(open, m.ToolCallID)
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				if b.Text == "" {
					return 0, fmt.Errorf("message %d: text content blocks must be non-empty", i)
				}
			case "tool_use":
				open[b.ID] = true
			case "tool_result":
				if !open[b.ToolUseID] {
					return 0, fmt.Errorf("message %d: unexpected tool_use_id", i)
				}
				delete(open, b.ToolUseID)
			}
		}
	}
	if len(open) > 0 {
		return 0, fmt.Errorf("a call has no result")
	}
	if last != "user" && last != "tool" {
		return 0, fmt.Errorf("the last message is %q's", last)
	}
	return turns, nil
}

func (m *Model) answers(name string) (list []answer, err error) {
	text, err := os.ReadFile(filepath.Join(m.Dir, "model."+filepath.Base(name)))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(m.Dir, "model"))
	}
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// Messages returns an answer, written as in the file "model", as a stream of
// Anthropic's Messages API. It panics if there is none.
func Messages(text string) string {
	list, err := parse(text)
	if err != nil {
		panic(err)
	}
	return list[0].messages()
}

func parse(text string) (list []answer, err error) {
	for part := range strings.SplitSeq(text, "---\n") {
		a := answer{pieces: 1 << 20}
		for line := range strings.SplitSeq(strings.TrimSpace(part), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "text":
				a.blocks = append(a.blocks, block{"text", "", value})
			case "think":
				a.blocks = append(a.blocks, block{"think", "", strings.ReplaceAll(value, `\n`, "\n")})
			case "call":
				input, _ := json.Marshal(map[string]string{"command": strings.ReplaceAll(value, `\n`, "\n")})
				a.blocks = append(a.blocks, block{"tool", "shell", string(input)})
			case "tool":
				name, input, _ := strings.Cut(value, " ")
				a.blocks = append(a.blocks, block{"tool", name, input})
			case "stop":
				a.stop = value
			case "pieces":
				a.pieces, err = strconv.Atoi(value)
			case "delay":
				a.delay, err = time.ParseDuration(value)
			case "cut", "hang":
				a.end = key
			case "status":
				code, header, _ := strings.Cut(value, " ")
				a.status, err = strconv.Atoi(code)
				a.header[0], a.header[1], _ = strings.Cut(header, ": ")
			default:
				err = fmt.Errorf("model: unknown line %q", line)
			}
			if err != nil {
				return nil, err
			}
		}
		list = append(list, a)
	}
	return list, nil
}

func (a *answer) reason(tool, end string) string {
	if a.stop != "" {
		return a.stop
	}
	for _, b := range a.blocks {
		if b.kind == "tool" {
			return tool
		}
	}
	return end
}

var calls struct {
	sync.Mutex
	n int
}

func callID() string {
	calls.Lock()
	defer calls.Unlock()
	calls.n++
	return fmt.Sprintf("toolu_%04d", calls.n)
}

// messages returns the answer as a stream of Anthropic's Messages API.
func (a *answer) messages() string {
	var b strings.Builder
	put := func(event, format string, v ...any) {
		fmt.Fprintf(&b, "event: %s\ndata: "+format+"\n\n", append([]any{event}, v...)...)
	}
	put("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"fake","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":0,"output_tokens":1}}}`)
	for i, bl := range a.blocks {
		text, _ := json.Marshal(bl.text)
		switch bl.kind {
		case "text":
			put("content_block_start",
				`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, i)
			put("content_block_delta",
				`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, i, text)
		case "think":
			put("content_block_start",
				`{"type":"content_block_start","index":%d,"content_block":{"type":"thinking","thinking":"","signature":""}}`, i)
			put("content_block_delta",
				`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%s}}`, i,
				text)
			put("content_block_delta",
				`{"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":"c2ln"}}`, i)
		default:
			put("content_block_start",
				`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}}`, i, callID(), bl.name)
			put("content_block_delta",
				`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`, i, text)
		}
		put("content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
	}
	if a.end != "" {
		return b.String()
	}
	put("message_delta", `{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":15}}`, a.reason("tool_use", "end_turn"))
	put("message_stop", `{"type":"message_stop"}`)
	return b.String()
}

// chat returns the answer as a stream of OpenAI's Chat Completions.
func (a *answer) chat() string {
	var b strings.Builder
	put := func(delta, finish string) {
		fmt.Fprintf(&b, `data: {"id":"c1","object":"chat.completion.chunk","model":"fake","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
	}
	put(`{"role":"assistant","content":""}`, "null")
	tools := 0
	for _, bl := range a.blocks {
		text, _ := json.Marshal(bl.text)
		if bl.kind == "think" {
			continue
		} else if bl.kind == "text" {
			put(fmt.Sprintf(`{"content":%s}`, text), "null")
		} else {
			put(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, tools, callID(), bl.name), "null")
			put(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, tools, text),
				"null")
			tools++
		}
	}
	if a.end != "" {
		return b.String()
	}
	put("{}", strconv.Quote(a.reason("tool_calls", "stop")))
	b.WriteString(`data: {"id":"c1","object":"chat.completion.chunk","model":"fake","choices":[],"usage":{"prompt_tokens":120,"completion_tokens":15,"total_tokens":135,"prompt_tokens_details":{"cached_tokens":20}}}` + "\n\ndata: [DONE]\n\n")
	return b.String()
}

func send(w http.ResponseWriter, r *http.Request, a answer, text string) {
	flush := w.(http.Flusher)
	for len(text) > 0 {
		n := min(a.pieces, len(text))
		if _, err := io.WriteString(w, text[:n]); err != nil {
			return
		}
		flush.Flush()
		text = text[n:]
		if a.delay > 0 {
			time.Sleep(a.delay)
		}
	}
	switch a.end {
	case "hang":
		<-r.Context().Done()
	case "cut":
		panic(http.ErrAbortHandler)
	}
}
