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
	mu      sync.Mutex
	conn    net.Conn
	log     *Log
	record  Record // of the question that is asked now
	rest    []byte // of a line
	settled func(usage.Usage)
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

// asked says what is to be called with the use of the question that is asked next.
func (l *answerWriter) asked(settled func(usage.Usage)) {
	l.settle(usage.Usage{})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settled = settled
}

// settle tells what the question has used, once.
func (l *answerWriter) settle(u usage.Usage) {
	l.mu.Lock()
	settled := l.settled
	l.settled = nil
	l.mu.Unlock()
	if settled != nil {
		settled(u)
	}
}

// add writes one event.
func (l *answerWriter) add(line []byte) { l.Write(append(line, '\n')) }

// Write writes events, which may come in any pieces. For a client that has gone, too, it takes
// all of them: what the client took is counted.
func (l *answerWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.rest = append(l.rest, b...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	whole := l.rest[:end]
	l.rest = bytes.Clone(l.rest[end:])
	var used []usage.Usage
	for line := range bytes.Lines(whole) {
		if u := l.note(bytes.TrimSuffix(line, []byte{'\n'})); u != nil {
			used = append(used, *u)
		}
	}
	l.conn.SetWriteDeadline(time.Now().Add(WriteTime))
	l.conn.Write(whole)
	l.mu.Unlock()
	for _, u := range used {
		l.settle(u)
	}
	return len(b), nil
}

// note records what an event tells. It returns the use of a question that is over.
func (l *answerWriter) note(line []byte) *usage.Usage {
	r := &l.record
	typ := event.Type(line)
	if typ == "tool_call" {
		r.Propose(event.Str(line, "id"), event.Str(line, "name"),
			[]byte(gjson.GetBytes(line, "input").Raw))
		return nil
	}
	if typ != "response" && typ != "error" {
		return nil
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
		return nil // it may be tried again
	}
	u := r.Usage
	l.log.Write(r)
	l.record = Record{Agent: r.Agent, PID: r.PID, Depth: r.Depth}
	return &u
}

// refused records that a client is not answered.
func (l *answerWriter) refused(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.record
	r.Start, r.Decision, r.Reason = time.Now(), "refused", reason
	l.log.Write(&r)
}
