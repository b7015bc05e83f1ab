package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/sse"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Decode reads a streamed answer of m's provider from body into a. It returns nil once
// the answer is complete. A stream that ends earlier is a failure.Failure, with the server's
// own words where nothing of an answer came.
func (m Model) Decode(body io.Reader, a *answer.Answer) error {
	var head prefix // of what has come
	row, heard, last := m.row(), false, ""
	said := func() []byte { // that, or the last event
		if heard {
			return []byte(last)
		}
		return head
	}
	r := sse.NewReader(io.TeeReader(body, &head), a.Limits.Event)
	next, take := r.Next, row.events(m)
	if row.lines {
		next = r.Line
	}
	for {
		ev, err := next()
		if err == io.EOF {
			return m.ended(a, row.marks, said()) // the server has not said that this is the end
		} else if err != nil {
			return m.broken(a, err)
		}
		// Each event is copied out of the stream's buffer once, so that what a decoder keeps
		// of it does not change.
		data := string(ev.Data)
		switch {
		case data == "[DONE]" && !heard:
			head = nil
		case data != "[DONE]" && len(a.Blocks) == 0:
			last, heard = data, true
		}
		if !event.ValidJSON(ev.Data) {
			switch name := string(ev.Name); {
			case data == "[DONE]":
				return m.ended(a, false, said())
			case name == "error":
				return failure.API(m.Provider, 0, "", data)
			case ev.Cut && len(a.Blocks) == 0:
				return m.ended(a, true, said())
			case ev.Cut:
				return failure.CutOff(io.ErrUnexpectedEOF)
			}
			return failure.CutOff(fmt.Errorf("an event of the stream is not JSON: %.60q", data))
		}
		if err := m.event(a, take, string(ev.Name), data); err == errDone {
			return m.ended(a, false, said())
		} else if err != nil {
			return err
		}
	}
}

// DecodeWhole reads an answer that came in one piece and not as a stream.
func (m Model) DecodeWhole(body []byte, a *answer.Answer) error {
	if !event.ValidJSON(body) {
		return failure.CutOff(errors.New("the answer is not JSON"))
	}
	row := m.row()
	if err := m.event(a, row.events(m), "", string(body)); err != nil && err != errDone {
		return err
	}
	return m.ended(a, false, nil)
}

// event gives an event to a decoder, unless it is an error.
func (m Model) event(a *answer.Answer, take take, name, data string) error {
	v := gjson.Parse(data)
	typ, bad := failure.Look(name, v)
	if bad {
		return failure.Said(m.Provider, []byte(data))
	}
	return take(a, typ, v)
}

// ended is called at the end of a stream, and ends the answer if it is complete: the server
// has given a stop reason, or nothing of what came is unfinished. said is what the server has
// sent, the beginning or the last of it; a comment says nothing.
func (m Model) ended(a *answer.Answer, marked bool, said []byte) error {
	said = bytes.TrimSpace(said)
	switch {
	case a.Stop != "":
	case len(a.Blocks) == 0 && a.Model == "" && len(said) > 0 && said[0] != ':':
		return failure.Said(m.Provider, said)
	case !a.Whole(marked):
		return failure.CutOff(errors.New("the stream ended without a stop reason"))
	default:
		a.Ended("stop") // or a refusal
		a.Unsaid = true
	}
	a.Finish()
	return nil
}

// broken returns the failure of a stream that cannot be read further. After a stop reason
// nothing is missing but, perhaps, the count of tokens.
func (m Model) broken(a *answer.Answer, err error) error {
	if a.Stop != "" && errors.Is(err, io.ErrUnexpectedEOF) {
		return m.ended(a, false, nil)
	}
	var long sse.TooLong
	if errors.As(err, &long) {
		return &failure.Failure{
			Msg:  "an event of the model's stream is longer than " + answer.Size(int(long)),
			Hint: "--max-event BYTES raises the limit", Status: prog.No,
		}
	}
	var f *failure.Failure
	if errors.As(err, &f) {
		return f
	}
	return failure.CutOff(err)
}

// Encode returns a request in the form of m's provider. The messages of a conversation that
// goes on are byte for byte those of the request before, which a provider's cache needs.
func (m Model) Encode(r *Request) (Body, error) {
	if m.API == Replay {
		m = Model{API: "anthropic", Name: "replay"}
	}
	api := m.row()
	body, ends := api.request(m, r), prefixEnds(r.Talk.Messages)
	list := body[len(body)-1].([]any)
	for i, msg := range r.Talk.Messages {
		list = append(list, api.message(m, msg, slices.Contains(ends, i))...)
	}
	body[len(body)-1] = list
	// Buffer.Grow would write zeros into all of the room.
	w := writer{buf: bytes.NewBuffer(make([]byte, 0, r.Size+4<<10))}
	w.json = json.NewEncoder(w.buf)
	w.json.SetEscapeHTML(false)
	if err := w.write(body); err != nil {
		return nil, failure.Bug(err)
	}
	return w.buf.Bytes(), nil
}

// Refusable returns the member of a request to m that an error says is unknown, "" unless a
// request can do without it or has another name for it.
func (m Model) Refusable(body Body, f *failure.Failure) string {
	words := strings.ToLower(f.Msg)
	unknown := func(word string) bool { return strings.Contains(words, word) }
	refusals := []string{"support", "unrecogni", "unknown", "unexpected", "not permitted",
		"not allowed", "extra"}
	if m.API != usualAPI || f.Retry || !slices.ContainsFunc(refusals, unknown) {
		return ""
	}
	for _, member := range []string{"stream_options", "max_tokens", "max_completion_tokens"} {
		if unknown(member) && !m.Refuses(member) && gjson.GetBytes(body, member).Exists() {
			return member
		}
	}
	return ""
}
