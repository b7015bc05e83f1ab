package provider

import (
	"errors"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
)

// A take adds an event, which is valid JSON, to an answer. typ is its own type or the name
// of the event.
type take func(a *answer.Answer, typ string, data gjson.Result) error

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

// errDone ends the stream from inside a decoder: the server has said that the answer ends.
var errDone = errors.New("done")
