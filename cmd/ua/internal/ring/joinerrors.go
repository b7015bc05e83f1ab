package ring

import (
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
)

// A joiner passes lines of the pipe on and lets error events stand for many: a stage can
// write millions, and each would be kept, shown and held in memory. Of a turn the first
// singleErrors of each kind pass as they are; after those, one stands for a quarter of
// all so far, with how many in "count". The one that answers a call always passes, once.
type joiner struct {
	to    func([]byte)
	calls map[string]bool // of the run: whether an error has answered it
	kinds [2]errorKind    // without and with a status, which can decide how the run ends
}

// An errorKind counts the errors of a kind. last is the newest of those that wait.
type errorKind struct {
	seen, wait int64
	last       []byte
}

// line passes a line on, or keeps it for the next error.
func (j *joiner) line(line []byte) {
	switch event.Type(line) {
	case "error":
		if event.Valid(line) && !j.answers(line) {
			j.error(line)
			return
		}
	case "tool_call":
		if j.calls == nil {
			j.calls = map[string]bool{}
		}
		j.calls[event.Str(line, "id")] = false
	case "response": // a turn's calls and the errors behind it are few again
		j.end()
		*j = joiner{to: j.to, calls: j.calls}
	}
	j.to(line)
}

// answers reports whether an error is the first that answers a call.
func (j *joiner) answers(line []byte) bool {
	id := event.Str(line, "call_id")
	answered, called := j.calls[id]
	if called {
		j.calls[id] = true
	}
	return called && !answered
}

// error passes an error on, with those before it that wait, or has it wait.
func (j *joiner) error(line []byte) {
	k := &j.kinds[0]
	if gjson.GetBytes(line, "status").Int() != 0 {
		k = &j.kinds[1]
	}
	k.seen++
	k.wait++
	k.last = line
	if k.seen <= singleErrors || k.wait >= k.seen/4 {
		k.pass(j.to)
	}
}

// end passes on the errors that wait. It is called where the pipe ends, too.
func (j *joiner) end() {
	for i := range j.kinds {
		j.kinds[i].pass(j.to)
	}
}

// pass passes on the newest error for all that wait.
func (k *errorKind) pass(to func([]byte)) {
	line := k.last
	if k.wait > 1 {
		if counted, err := sjson.SetBytes(line, "count", k.wait); err == nil {
			line = counted
		}
	}
	if k.wait > 0 {
		to(line)
	}
	k.wait, k.last = 0, nil
}
