package request

import (
	"bytes"
	"io"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// A Call is one API call of a run: the state of the journal when the model was asked, and
// the response.
type Call struct {
	N        int   // from 1
	size     int64 // of the journal when the request was made
	budget   int   // in tokens, -1 when the journal does not say
	Response []byte
}

// Model returns the model that answered, as PROVIDER/NAME.
func (a *Call) Model() string { return event.Str(a.Response, "model") }

// SHA256 returns the hash of the request as its response names it, in hexadecimal.
func (a *Call) SHA256() string { return event.Str(a.Response, "request_sha256") }

// Scan calls do for each API call of a journal, in order. A request is made when a `turn`
// event says so. A journal without turns was made by a pipeline without ua. Its requests
// were made before the first event of each answer was written. bad is called with lines
// that are no events.
func Scan(j io.ReaderAt, size int64, bad func(error), do func(*Call) error) error {
	n, at, budget := 0, int64(-1), -1
	return journal.Each(j, size, bad, func(line []byte, offset int64) error {
		switch event.Type(line) {
		case "turn":
			at, budget = offset, -1
			// A turn names its budget only if that is not the default one.
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
