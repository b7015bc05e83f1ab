package request

import (
	"bytes"
	"io"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
)

// A Call is one API call of a run: what the journal held when the model was
// asked, and the response.
type Call struct {
	N        int   // from 1
	size     int64 // of the journal when the request was made
	budget   int   // in tokens, -1 when the journal does not say
	Response []byte
}

// Model returns the model that answered.
func (a *Call) Model() string { return event.Str(a.Response, "model") }

// SHA256 returns the hash of the request that the response names, in hex.
func (a *Call) SHA256() string { return event.Str(a.Response, "request_sha256") }

// Scan calls do with each API call of a journal, in order. A request is made
// when a `turn` says so; in a journal without turns, which a pipeline by hand
// made, it was made before the first event of its answer was written.
func Scan(j io.ReaderAt, size int64, bad func(error), do func(*Call) error) error {
	n, at, budget := 0, int64(-1), -1
	return store.Each(j, size, bad, func(line []byte, offset int64) error {
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
			a := &Call{n, at, budget, bytes.Clone(line)}
			at, budget = -1, -1
			return do(a)
		}
		return nil
	})
}
