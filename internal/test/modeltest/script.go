// Package modeltest is a model's server for tests. It speaks four APIs and is strict
// about their rules. Only tests import it.
package modeltest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
)

// A Model is a server whose answers stand in the file "model" of a script,
// apart by lines of "---", each with lines of
//
//	text: WORDS        a text block
//	think: WORDS       a thinking block
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
// A request that breaks a rule of its API gets status 400; no key is asked for.
type Model struct {
	// AnyTurn has it answer by the number of requests: old turns may be cut.
	AnyTurn bool

	Dir     string // see New
	mu      sync.Mutex
	n       int
	refused map[string]bool
}

// An answer is one answer of the script.
type answer struct {
	says   []Say
	stop   string
	pieces int
	delay  time.Duration
	end    string // cut or hang
	status int
	header [2]string
}

// New returns a Model whose answers are in the file "model" of the folder. The folder
// "requests" in it gets the requests, each in a file named by its number.
func New(dir string) *Model { return &Model{Dir: dir, refused: map[string]bool{}} }

// Requests returns the paths of the requests that came, in the order of their names.
func (m *Model) Requests() []string {
	list, _ := filepath.Glob(filepath.Join(m.Dir, "requests/*"))
	return list
}

// ServeHTTP answers one request with the answer that is due.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.n++
	nth := m.n - 1
	os.MkdirAll(filepath.Join(m.Dir, "requests"), 0o755)
	os.WriteFile(filepath.Join(m.Dir, "requests", strconv.Itoa(m.n)), body, 0o644)
	m.mu.Unlock()
	speaks, req := apiOf(r.URL.Path), gjson.ParseBytes(body)
	err := strict(speaks, r, body)
	turn := turns(req)
	if m.AnyTurn {
		turn = nth
	}
	answers, err2 := m.answers(req.Get("model").Str)
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
	send(w, r, a, strings.Join(a.events(speaks), ""))
}

// turns returns how many answers of the model are in a request.
func turns(req gjson.Result) (n int) {
	for _, m := range req.Get("messages").Array() {
		if m.Get("role").Str == "assistant" {
			n++
		}
	}
	return n
}

// answers returns the answers for the model of that name.
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

// Messages returns an answer, in the form of the file "model", as a stream of Anthropic's
// Messages API. It panics if there is none.
func Messages(text string) string {
	list, err := parse(text)
	if err != nil {
		panic(err)
	}
	return strings.Join(list[0].events(apiNamed("anthropic")), "")
}

// parse reads the answers of a script.
func parse(text string) (list []answer, err error) {
	for part := range strings.SplitSeq(text, "---\n") {
		a := answer{pieces: 1 << 20}
		for line := range strings.SplitSeq(strings.TrimSpace(part), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "text":
				a.says = append(a.says, Say{Kind: "text", Text: value})
			case "think":
				a.says = append(a.says, Say{Kind: "thinking", Sig: "sig-1",
					Text: strings.ReplaceAll(value, `\n`, "\n")})
			case "call":
				input := JSON(map[string]string{"command": strings.ReplaceAll(value, `\n`, "\n")})
				a.says = append(a.says, Say{Kind: "tool", Text: input})
			case "tool":
				name, input, _ := strings.Cut(value, " ")
				a.says = append(a.says, Say{Kind: "tool", Name: name, Text: input})
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

// calls counts the calls of all answers, for their IDs.
var calls atomic.Int64

// took is the usage that each answer of a Model reports.
var took = Usage{Fresh: 100, Read: 20, Output: 15}

// events returns the answer as the events of an API. The events of its end are missing if
// it is cut or hangs.
func (a *answer) events(speaks api) []string {
	says, stop := slices.Clone(a.says), "end_turn"
	for i := range says {
		if says[i].Kind == "tool" {
			says[i].ID, stop = fmt.Sprintf("toolu_%04d", calls.Add(1)), "tool_use"
		}
	}
	list := speaks.events(took, cmp.Or(a.stop, stop), says)
	if a.end != "" {
		list = list[:len(list)-speaks.closing]
	}
	return list
}

// send writes the answer in its pieces and then cuts, waits or ends.
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
