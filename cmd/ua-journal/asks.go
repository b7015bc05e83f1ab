package main

import (
	"bytes"
	"io"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// An ask is one API call of a run: what the journal held when the model was
// asked, and the response.
type ask struct {
	n        int   // from 1
	size     int64 // of the journal when the request was made
	budget   int   // in tokens, -1 when the journal does not say
	response []byte
}

func (a *ask) model() string  { return event.Str(a.response, "model") }
func (a *ask) sha256() string { return event.Str(a.response, "request_sha256") }

// eachAsk calls do with each API call of a journal, in order. A request is made
// when a `turn` says so; in a journal without turns, which a pipeline by hand
// made, it was made before the first event of its answer was written.
func eachAsk(j io.ReaderAt, size int64, bad func(error), do func(*ask) error) error {
	n, at, budget := 0, int64(-1), -1
	return eachEvent(j, size, bad, func(line []byte, offset int64) error {
		switch event.Type(line) {
		case "turn":
			at, budget = offset, -1
			if v := gjson.GetBytes(line, "budget"); v.Exists() {
				budget = int(v.Int())
			}
		case "tool_call":
			if at < 0 {
				at = offset
			}
		case "response":
			if at < 0 {
				at = offset
			}
			n++
			a := &ask{n, at, budget, bytes.Clone(line)}
			at, budget = -1, -1
			return do(a)
		}
		return nil
	})
}

// trajectory is the call as one JSON object for training: the request, and of
// the response what was thought and what was said, apart.
func (a *ask) trajectory(run string, body []byte, verified bool) []byte {
	var thinking, output [][]byte
	gjson.GetBytes(a.response, "content").ForEach(func(_, b gjson.Result) bool {
		if t := b.Get("type").Str; t == "thinking" || t == "redacted_thinking" {
			thinking = append(thinking, []byte(b.Raw))
		} else {
			output = append(output, []byte(b.Raw))
		}
		return true
	})
	list := func(blocks [][]byte) []byte {
		return append(append([]byte{'['}, bytes.Join(blocks, []byte{','})...), ']')
	}
	input := body
	if !gjson.ValidBytes(body) { // of a model that is a program
		input = event.AppendString(nil, body)
	}
	e := event.New("trajectory").Str("run", run).Int("call", int64(a.n)).Str("model", a.model()).
		Str("request_sha256", a.sha256()).Bool("verified", verified).Str("stop_reason", event.Str(a.response, "stop_reason")).
		Raw("input", input).Raw("thinking", list(thinking)).Raw("output", list(output))
	if u := gjson.GetBytes(a.response, "usage"); u.IsObject() {
		e.Raw("usage", []byte(u.Raw))
	}
	return e.Line()
}
