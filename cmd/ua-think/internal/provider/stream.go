package provider

import (
	"errors"
	"fmt"
	"io"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/jsontext"
	"ua/cmd/ua-think/internal/sse"
	"ua/internal/common/prog"
)

// Decode reads a streamed answer of m's provider from body into a. It returns nil once
// the API has said that the answer is complete. A stream that ends earlier is a
// failure.Failure.
func (m Model) Decode(body io.Reader, a *answer.Answer) error {
	return m.row().decode(m, body, a)
}

// DecodeWhole reads an answer that came in one piece and not as a stream.
func (m Model) DecodeWhole(body []byte, a *answer.Answer) error {
	if !jsontext.Valid(body) {
		return failure.CutOff(errors.New("the answer is not JSON"))
	}
	return m.row().whole(m, body, a)
}

// errDone ends the stream from inside a decoder: the answer is complete.
var errDone = errors.New("done")

// decodeEvent takes one event of a stream, whose data is valid JSON.
type decodeEvent func(*answer.Answer, sse.Event, gjson.Result) error

// events feeds the events of a stream to a provider's decoder until that says that the
// answer is complete. Each event is copied out of the stream's buffer once, so that what
// a decoder keeps of it does not change.
func events(body io.Reader, a *answer.Answer, decode decodeEvent) error {
	r := sse.NewReader(body, a.Limits.Event)
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return ended(a)
		} else if err != nil {
			return broken(err)
		}
		data := string(ev.Data)
		if !valid(ev.Data) {
			switch {
			case data == "[DONE]":
				return ended(a)
			case ev.Cut:
				return failure.CutOff(io.ErrUnexpectedEOF)
			}
			return failure.CutOff(fmt.Errorf("an event of the stream is not JSON: %.60q", data))
		}
		if err := decode(a, ev, gjson.Parse(data)); err == errDone {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// valid reports whether an event or a line of a stream is JSON. Only a long one can be
// nested too deep, so only that is checked for it.
func valid(text []byte) bool {
	if len(text) > jsontext.MaxDepth {
		return jsontext.Valid(text)
	}
	return gjson.ValidBytes(text)
}

// ended returns an error unless the API has given a stop reason, without which the answer
// may be incomplete.
func ended(a *answer.Answer) error {
	if a.Stop != "" {
		return nil
	}
	return failure.CutOff(errors.New("the stream ended without a stop reason"))
}

// broken returns the failure of a stream that cannot be read further.
func broken(err error) error {
	var long sse.TooLong
	if errors.As(err, &long) {
		return &failure.Failure{
			Msg:  "an event of the model's stream is longer than " + answer.Size(int(long)),
			Hint: "--max-event BYTES lifts the limit", Status: prog.No,
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
