package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"

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

// errDone ends the stream from inside a decoder: the server has said that the answer ends.
var errDone = errors.New("done")

// A take adds an event, which is valid JSON, to an answer. typ is its own type or the name
// of the event.
type take func(a *answer.Answer, typ string, data gjson.Result) error

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
		a.Stop, a.Unsaid = answer.EndTurn, true
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

// pick3 returns three members of a JSON object, found in one pass, because a stream has
// an event for almost every word. Of duplicate keys the first counts.
func pick3(v gjson.Result, a, b, c string) (x, y, z gjson.Result) {
	v.ForEach(func(key, value gjson.Result) bool {
		switch {
		case key.Str == a && !x.Exists():
			x = value
		case key.Str == b && !y.Exists():
			y = value
		case key.Str == c && !z.Exists():
			z = value
		}
		return true
	})
	return x, y, z
}

// A prefix is the first bytes that are written to it.
type prefix []byte

func (b *prefix) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), 2000-len(*b))]...)
	return len(p), nil
}
