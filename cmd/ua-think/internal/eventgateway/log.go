package eventgateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"strings"
	"sync"
	"time"
	"unicode"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
)

// refusalPause is the shortest time between two refusals in the log, so that a client
// that is refused a million times does not fill the disk. The next one says how many were
// left out.
const refusalPause = 50 * time.Millisecond

// maxInput is how many bytes of a call's input its line shows.
const maxInput = 1500

// A Log is where a gateway writes what its clients have asked for, an event a line.
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

// Broken reports whether a write to the log has failed.
func (l *Log) Broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// Ready writes the first line: the address at which the service answers, behind scheme if that
// is one of TCP, and the token if it has made that up itself.
func (s *Service) Ready(at net.Addr, scheme, token string) {
	socket, url := at.String(), ""
	if at.Network() == "tcp" {
		socket, url = "", scheme+at.String()
	}
	l := s.Log
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line(event.New("gateway").Str("state", "ready").OptStr("socket", socket).OptStr("url", url).
		OptStr("token", token).Line())
}

// Write writes a request, and one line for each call that the model proposed in the
// answer. Refusals in quick succession are counted and not written, since any client can
// cause any number of them.
func (l *Log) Write(e *Record) {
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
		l.line(call.line(e))
	}
}

// line writes one line. After an error the gateway passes nothing on.
func (l *Log) line(line []byte) {
	if _, err := l.w.Write(append(line, '\n')); err != nil {
		l.broken = true
	}
}

// A Record is what the log keeps of one request.
type Record struct {
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

// line returns the event model_request (ua-events(5)).
func (e *Record) line() []byte {
	decision := e.Decision
	if decision == "" {
		decision = "passed"
	}
	b := event.New("model_request").Int("n", e.Number).
		Str("decision", decision).OptStr("reason", e.Reason).
		OptStr("method", Word(e.Method)).OptStr("path", Word(e.Path)).
		OptStr("model", Word(e.Model)).OptStr("agent", Word(e.Agent)).
		Int("pid", int64(e.PID)).Int("depth", int64(e.Depth)).
		OptStr("stop_reason", e.Stop)
	if e.Status > 0 {
		b.Int("status", int64(e.Status))
	}
	if e.Stop != "" {
		b.Raw("usage", e.Usage.JSON()).Int("tool_calls", int64(len(e.calls)))
	}
	if e.Unlogged > 0 {
		b.Int("refused_before", int64(e.Unlogged))
	}
	return b.OptStr("request_sha256", e.SHA256).
		Int("latency_ms", time.Since(e.Start).Milliseconds()).Line()
}

// A proposal is a call that the model has proposed to a client.
type proposal struct {
	id, name string
	input    []byte
}

// Propose adds a call that the model has proposed.
func (e *Record) Propose(id, name string, input []byte) {
	e.calls = append(e.calls, proposal{Word(id), Word(name), bytes.Clone(input)})
}

// line returns the event proposal. A long input is cut; its hash tells it from others.
func (p proposal) line(e *Record) []byte {
	sum := sha256.Sum256(p.input)
	return event.New("proposal").Int("n", e.Number).OptStr("agent", Word(e.Agent)).
		Int("depth", int64(e.Depth)).Str("id", p.id).Str("name", p.name).
		Str("input", string(p.input[:min(len(p.input), maxInput)])).
		Int("bytes", int64(len(p.input))).Str("sha256", hex.EncodeToString(sum[:])).Line()
}

// Word returns at most 200 bytes of what a client has written, printable characters only.
func Word(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return -1
	}, s[:min(len(s), 200)])
}
