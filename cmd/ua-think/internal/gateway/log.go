package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"sync"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
)

// A Log is where a gateway writes what its clients asked for: events, one a
// line, each below 4,000 bytes, so that it reaches a pipe or the end of a file in
// one piece (pipe(7), PIPE_BUF).
type Log struct {
	mu       sync.Mutex
	w        io.Writer
	broken   bool
	last     time.Time // of a refusal
	unlogged int       // refusals since
	number   int64     // of the last request
}

// NewLog returns a Log that writes to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Broken reports whether the log could not be written.
func (l *Log) Broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// Ready writes the first line: the address of the gateway, and the token when
// the gateway made it up itself.
func (l *Log) Ready(about About, socket, url, token string) {
	text, _ := json.Marshal(about) // names and numbers always encode
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line(event.New("gateway").Str("state", "ready").OptStr("socket", socket).OptStr("url", url).
		OptStr("token", token).Raw("about", text).Line())
}

// Write writes a request, and a line for each call that the model proposed in
// its answer.
func (l *Log) Write(e *Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Decision == "refused" {
		if time.Since(l.last) < refusalPause {
			l.unlogged++
			return
		}
		l.last = time.Now()
	}
	l.number++
	e.Number, e.Unlogged = l.number, l.unlogged
	l.unlogged = 0
	l.line(e.line())
	for _, call := range e.calls {
		call.Request = l.number
		l.line(call.line())
	}
}

func (l *Log) line(line []byte) {
	if _, err := l.w.Write(append(line, '\n')); err != nil {
		l.broken = true
	}
}

// An Entry is one request.
type Entry struct {
	Number   int64 // in this log, from 1
	Start    time.Time
	Method   string
	Path     string
	Agent    string // the run, as the client says
	PID      int    // of the client, 0 where it can't be told
	Depth    int    // agents above the client
	Model    string // PROVIDER/NAME
	Decision string // "refused", or "" for passed on
	Reason   string
	Status   int    // HTTP
	Stop     string // why the answer ended
	Usage    usage.Usage
	SHA256   string // of the body, as the client sent it
	Unlogged int    // refusals before that have no line

	calls []proposal
}

// refuse notes that the request was refused.
func (e *Entry) refuse(r *refusal) {
	e.Decision, e.Reason, e.Status = "refused", r.name, r.status
}

// answered notes what the model said.
func (e *Entry) answered(a *answer.Answer, u usage.Usage, p *usage.Price) {
	e.Stop, e.Usage = a.Stop, u
	if e.Stop == "" {
		e.Stop = "interrupted"
	}
	if p != nil {
		e.Usage.Cost, e.Usage.Priced = p.Cost(u), true
	}
	for _, b := range a.Blocks {
		if b.Kind == answer.Call {
			e.calls = append(e.calls, propose(e, b))
		}
	}
}

func (e *Entry) line() []byte {
	decision := e.Decision
	if decision == "" {
		decision = "passed"
	}
	b := event.New("model_request").Int("n", e.Number).
		Str("decision", decision).OptStr("reason", e.Reason).
		Str("method", word(e.Method)).Str("path", word(e.Path)).
		OptStr("model", word(e.Model)).OptStr("agent", e.Agent).
		Int("pid", int64(e.PID)).Int("depth", int64(e.Depth)).
		Int("status", int64(e.Status)).OptStr("stop_reason", e.Stop)
	if e.Stop != "" {
		b.Raw("usage", e.Usage.JSON()).Int("tool_calls", int64(len(e.calls)))
	}
	if e.Unlogged > 0 {
		b.Int("refused_before", int64(e.Unlogged))
	}
	return b.OptStr("request_sha256", e.SHA256).
		Int("latency_ms", time.Since(e.Start).Milliseconds()).Line()
}

// A proposal is a call that the model proposed to a client.
type proposal struct {
	Request int64
	agent   string
	depth   int
	id      string
	name    string
	input   string // its start
	bytes   int
	sha256  string
}

func propose(e *Entry, b *answer.Block) proposal {
	input := b.Input()
	sum := sha256.Sum256(input)
	shown := string(input[:min(len(input), maxInput)])
	if len(input) <= 3*maxInput && plainText(input) {
		shown = string(input)
	}
	return proposal{
		agent: e.Agent, depth: e.Depth, id: word(b.ID), name: word(b.Name), input: shown,
		bytes: len(input), sha256: hex.EncodeToString(sum[:]),
	}
}

// plainText reports whether b grows by no more than twice as a JSON string.
func plainText(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// maxLine is the length that no line of the log reaches.
const maxLine = 4000

// line shows less of the input where names and input together grow too long by their
// escapes.
func (p proposal) line() []byte {
	for {
		line := event.New("proposal").Int("n", p.Request).
			OptStr("agent", p.agent).Int("depth", int64(p.depth)).
			Str("id", p.id).Str("name", p.name).Str("input", p.input).Int("bytes", int64(p.bytes)).
			Str("sha256", p.sha256).Line()
		if len(line) < maxLine-1 || p.input == "" {
			return line
		}
		p.input = p.input[:len(p.input)/2]
	}
}
