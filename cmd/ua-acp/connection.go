package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A connection speaks JSON-RPC 2.0 over lines. Requests and notifications are taken up in the
// order in which they come, so that a cancellation never overtakes what it cancels; each
// request is answered, also when the client has closed its side meanwhile.
type connection struct {
	w       *os.File
	handle  func(method string, params gjson.Result, answer func(any, error))
	mu      sync.Mutex
	last    int                          // number of the newest request to the client
	waiting map[string]chan gjson.Result // for its answers
	open    sync.WaitGroup               // requests without an answer
}

// A failure is an error with its code in JSON-RPC.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

// The codes of JSON-RPC.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
	internalError  = -32603
)

// refuse returns a failure.
func refuse(code int, format string, a ...any) error {
	return &failure{code, fmt.Sprintf(format, a...)}
}

// read handles messages until the client closes its side.
func (c *connection) read(r io.Reader) error {
	for lines := event.NewReader(r); ; {
		line, err := lines.Line()
		var long *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &long):
			c.reply(nil, nil, refuse(invalidRequest, "%s", long.Why))
		case err != nil:
			return err
		case len(bytes.TrimSpace(line)) == 0:
		case !event.ValidJSON(line):
			c.reply(nil, nil, refuse(parseError, "not JSON"))
		default:
			c.take(gjson.ParseBytes(bytes.Clone(line)))
		}
	}
}

// take handles one message. What came without an ID gets no answer.
func (c *connection) take(m gjson.Result) {
	id, method := m.Get("id"), m.Get("method")
	asks := id.Type == gjson.String || id.Type == gjson.Number
	switch {
	case method.Type == gjson.String && !asks:
		c.handle(method.Str, m.Get("params"), func(any, error) {})
	case method.Type == gjson.String:
		c.open.Add(1)
		c.handle(method.Str, m.Get("params"), func(result any, err error) {
			c.reply(json.RawMessage(id.Raw), result, err)
			c.open.Done()
		})
	case asks && (m.Get("result").Exists() || m.Get("error").Exists()):
		c.mu.Lock()
		if wait := c.waiting[id.Raw]; wait != nil {
			wait <- m
			delete(c.waiting, id.Raw)
		}
		c.mu.Unlock()
	default:
		c.reply(nil, nil, refuse(invalidRequest, "neither a request nor an answer"))
	}
}

// reply answers a request.
func (c *connection) reply(id json.RawMessage, result any, err error) {
	m := map[string]any{"id": id} // nil is null
	f := &failure{Code: internalError}
	switch {
	case err == nil:
		m["result"] = result
	case errors.As(err, &f):
		m["error"] = f
	default:
		f.Message = err.Error()
		m["error"] = f
	}
	c.send(m)
}

// notify sends a notification.
func (c *connection) notify(method string, params any) {
	c.send(map[string]any{"method": method, "params": params})
}

// send writes a message. A client that has gone away is noticed by the end of its side.
func (c *connection) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(m) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.w.Write(b.Bytes())
}

// call asks the client, and returns its result: an empty one if it has none, or once nobody
// wants it any more, which the client is told.
func (c *connection) call(ctx context.Context, method string, params any) gjson.Result {
	wait := make(chan gjson.Result, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[strconv.Itoa(id)] = wait
	c.mu.Unlock()
	c.send(map[string]any{"id": id, "method": method, "params": params})
	select {
	case m := <-wait:
		return m.Get("result")
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, strconv.Itoa(id))
		c.mu.Unlock()
		c.notify("$/cancel_request", map[string]any{"requestId": id})
		return gjson.Result{}
	}
}
