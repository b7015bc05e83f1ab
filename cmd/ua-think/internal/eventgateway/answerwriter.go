package eventgateway

import (
	"bytes"
	"net"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// An answerWriter writes the events of an answer to a client, and to the log what it asked for,
// what the model proposed and what it cost: before the client can know that the answer is there.
type answerWriter struct {
	mu     sync.Mutex
	conn   net.Conn
	log    *Log
	record Record // of the question that is asked now
	rest   []byte // of a line
}

// begin says which run asks, by its own word.
func (l *answerWriter) begin(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record.Agent = run
}

// start says that a question is asked now.
func (l *answerWriter) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record.Start = time.Now()
}

// add writes one event.
func (l *answerWriter) add(line []byte) { l.Write(append(line, '\n')) }

// Write writes events, which may come in any pieces. For a client that has gone, too, it takes
// all of them: what the client took is counted.
func (l *answerWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	whole := l.rest[:end]
	l.rest = bytes.Clone(l.rest[end:])
	for line := range bytes.Lines(whole) {
		l.note(bytes.TrimSuffix(line, []byte{'\n'}))
	}
	l.conn.SetWriteDeadline(time.Now().Add(WriteTime))
	l.conn.Write(whole)
	return len(b), nil
}

// note records what an event tells.
func (l *answerWriter) note(line []byte) {
	r := &l.record
	typ := event.Type(line)
	if typ == "tool_call" {
		r.Propose(event.Str(line, "id"), event.Str(line, "name"),
			[]byte(gjson.GetBytes(line, "input").Raw))
		return
	}
	if typ != "response" && typ != "error" {
		return
	}
	v := gjson.GetBytes(line, "usage")
	r.Usage = usage.Read(v)
	switch {
	case typ == "response":
		r.Model, r.Stop = event.Str(line, "model"), event.Str(line, "stop_reason")
		r.SHA256 = event.Str(line, "request_sha256")
	case v.Exists():
		r.Stop = "error"
	case gjson.GetBytes(line, "status").Int() == prog.Limit:
		r.Decision, r.Reason = "refused", "budget"
	default:
		return // it may be tried again
	}
	l.log.Write(r)
	l.record = Record{Agent: r.Agent, PID: r.PID, Depth: r.Depth}
}

// refused records that a client is not answered.
func (l *answerWriter) refused(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.record
	r.Start, r.Decision, r.Reason = time.Now(), "refused", reason
	l.log.Write(&r)
}
