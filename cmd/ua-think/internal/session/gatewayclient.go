package session

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// An Above is where the run above answers, which has the key that this program lacks: its
// socket, what to show there, and the model to ask for when nobody names one.
type Above struct{ Socket, Token, Model string }

// A Wish is the second line of a conversation over a socket: what is asked for, within what the
// other side gives. The conversation goes there and an answer comes back, both as the events of
// ua-events(5): there is nothing else that could be asked for (ua-think(1), serve).
type Wish struct {
	Type  string `json:"type"`            // "options"
	Model string `json:"model,omitempty"` // as --model takes it; "" for the usual one
	Options
}

// An above is a conversation with the run above. What it uses is held in the session's budget,
// by the number of questions: the run above knows its own limits, and not those of this one.
type above struct {
	conn   halfCloser
	out    *event.Writer
	models []string      // that may be asked, as PROVIDER/NAME
	whole  bool          // it has all lines of the conversation
	ended  chan struct{} // closed when nothing more comes; nil without a run above
	err    error         // of the conversation, once it has ended
	told   bool          // of which the run above has written an event

	mu   sync.Mutex
	held *sharedbudget.Hold // for the question that is asked now
	used usage.Usage        // by it
}

// AskAbove has the run above answer in place of the models. It waits until that is ready, or ctx
// ends.
func (s *Session) AskAbove(ctx context.Context, where Above) error {
	wish, err := json.Marshal(Wish{"options", where.Model, s.Options})
	if err != nil {
		return err
	}
	a := &s.above
	if a.conn, err = dial(ctx, where.Socket); err != nil {
		return cmp.Or(context.Cause(ctx), error(lost(where.Socket).Hintf("%v", err)))
	}
	stop := context.AfterFunc(ctx, func() { a.conn.Close() })
	defer stop()
	a.out = event.NewWriter(a.conn)
	a.out.Write(event.New("hello").Str("token", where.Token).Line(), wish)
	in := event.NewReader(a.conn)
	for a.models == nil {
		line, err := in.Next()
		switch typ := event.Type(line); {
		case err != nil:
			a.conn.Close()
			return cmp.Or(context.Cause(ctx), error(lost(where.Socket)))
		case typ == "end":
			a.conn.Close()
			s.told = true
			return outcome(line)
		case typ == "ready":
			a.models = event.Strings(line, "models")
		default: // why it ends
			s.Out.Put(line)
		}
	}
	if !stop() {
		return context.Cause(ctx)
	}
	a.ended = make(chan struct{})
	go s.listen(in, lost(where.Socket))
	return nil
}

// Offered returns the models that the run above may be asked for.
func (s *Session) Offered() []string { return s.above.models }

// Scheme begins the address of a server on another machine in UA_GATEWAY: tls://HOST:PORT.
const Scheme = "tls://"

// farTime is how long a connection to another machine may take.
const farTime = 30 * time.Second

// A halfCloser is a connection that can be answered after its client has said all.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

// dial connects to a path or to a server on another machine, whose certificate one of the
// system's authorities, or those in SSL_CERT_FILE, must have signed.
func dial(ctx context.Context, socket string) (c halfCloser, err error) {
	near, conn := &net.Dialer{Timeout: farTime}, net.Conn(nil)
	if address, far := strings.CutPrefix(socket, Scheme); far {
		d := tls.Dialer{NetDialer: near, Config: &tls.Config{MinVersion: tls.VersionTLS13}}
		conn, err = d.DialContext(ctx, "tcp", address)
	} else {
		conn, err = near.DialContext(ctx, "unix", socket)
	}
	c, _ = conn.(halfCloser)
	return c, err
}

// lost returns the error of a socket on which nobody answers.
func lost(socket string) *prog.Error {
	return prog.Errorf(prog.TryLater, "the run above does not answer at %q", socket)
}

// outcome returns the error in the line that ends a conversation, nil for status 0.
func outcome(line []byte) error {
	status := int(gjson.GetBytes(line, "status").Int())
	message := event.Str(line, "message")
	switch {
	case status == 0:
		return nil
	case message == "":
		return prog.Exit(status)
	}
	e := prog.Errorf(status, "%s", message)
	e.Hint = event.Str(line, "hint")
	return e
}

// listen passes on what the run above writes, until it ends the conversation. lost is the error
// if it does not say so. A response ends a question.
func (s *Session) listen(in *event.Reader, lost error) {
	a := &s.above
	defer close(a.ended)
	for a.err = lost; ; {
		line, err := in.Next()
		if err != nil {
			return
		}
		switch event.Type(line) {
		case "end":
			a.err, a.told = outcome(line), true
			return
		case "response", "error":
			a.mu.Lock()
			a.used.Add(usage.Read(gjson.GetBytes(line, "usage")))
			a.mu.Unlock()
		}
		s.Out.Put(line)
		if event.Type(line) == "response" {
			s.settleAbove()
		}
	}
}

// passOn takes a line of a conversation that the run above answers.
func (s *Session) passOn(ctx context.Context, line string) error {
	s.bytes += len(line)
	switch gjson.Get(line, "type").Str {
	case "run":
		s.bytes, s.turns = len(line), false
	case "instruction":
		s.fresh = true
	case "turn":
		s.turns, s.fresh = true, false
		if err := s.holdAbove(ctx); err != nil {
			return err
		}
	}
	if s.above.out.Write([]byte(line)) != nil {
		return s.endedAbove(ctx)
	}
	return nil
}

// finishAbove says that the conversation is whole, and waits for its outcome.
func (s *Session) finishAbove(ctx context.Context) error {
	if s.fresh || !s.turns {
		if err := s.holdAbove(ctx); err != nil {
			return err
		}
	}
	s.above.whole = true
	s.above.conn.CloseWrite()
	return s.endedAbove(ctx)
}

// endedAbove waits for the outcome of the conversation.
func (s *Session) endedAbove(ctx context.Context) error {
	select {
	case <-s.above.ended:
		s.told = s.above.told
		return s.above.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// holdAbove reserves what a question can use of the budget that this session shares.
func (s *Session) holdAbove(ctx context.Context) error {
	s.settleAbove()
	if s.Budget == nil {
		return nil
	}
	h, over := s.Budget.Reserve(ctx, &sharedbudget.Question{Answer: 1, Command: s.Command,
		Prompt: usage.Estimate(s.bytes), Price: &usage.Price{}})
	if over != nil {
		return over
	}
	s.above.mu.Lock()
	defer s.above.mu.Unlock()
	s.above.held = h
	return nil
}

// settleAbove charges what a question has used.
func (s *Session) settleAbove() {
	a := &s.above
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held != nil {
		a.used.Priced = true // by the run above
		s.Budget.Settle(a.held, a.used)
	}
	a.held, a.used = nil, usage.Usage{}
}

// stopTime is how long the run above may take to break off an answer.
const stopTime = 3 * time.Second

// End ends the conversation, of which err has come. The run above then breaks off, and does not
// take the end of the conversation for a question. One that has all of it can be told nothing any
// more, but notices that nobody listens.
func (s *Session) End(err error) error {
	a := &s.above
	if a.ended == nil {
		return err
	}
	if err != nil && !a.whole {
		a.out.Write(event.New("stop").Line())
		select {
		case <-a.ended:
		case <-time.After(stopTime):
		}
	}
	a.conn.Close()
	s.settleAbove()
	return err
}
