package journal

import (
	"bytes"
	"errors"
	"io"

	"ua/internal/common/event"
)

// boundary returns where a conversation with a cut at from begins. That is the first turn
// that starts within reach after it, or else the last one before it, so that a turn of
// any length stays whole. All within reach is there whenever this cut is made, so the
// boundary does not move while the journal grows.
func boundary(j io.ReaderAt, from, reach, size int64) (int64, error) {
	at, err := nextTurn(j, from, min(from+reach, size), size)
	if err != nil || at >= 0 {
		return at, err
	}
	return lastTurn(j, from)
}

// starts reports whether an event of type typ, after one of type before, starts a turn.
// An instruction and a `turn` do, and so does what follows a response and is no answer to
// one of its calls.
func starts(before, typ string) bool {
	switch typ {
	case "instruction", "turn":
		return before != "message"
	case "tool_result", "verdict", "ask", "answer", "error", "response", "":
		return false
	}
	return before == "response"
}

// follows returns the type that counts as the one before the next event. Answers to a
// response's calls belong to that response.
func follows(before, typ string) string {
	switch typ {
	case "tool_result", "verdict", "ask", "answer", "error", "":
		return before
	}
	return typ
}

// nextTurn returns the offset of the first line between two offsets that starts a turn,
// -1 if there is none.
func nextTurn(j io.ReaderAt, lo, hi, size int64) (int64, error) {
	// From the byte before lo, so that a line that begins at lo is not taken for the rest
	// of another.
	base := max(lo-1, 0)
	r := event.NewReader(io.NewSectionReader(j, base, size-base))
	before := ""
	for first := lo > 0; ; first = false {
		line, err := r.Line()
		var m *event.Malformed
		switch {
		case err == io.EOF || base+r.Offset() >= hi:
			return -1, nil
		case err != nil && !errors.As(err, &m):
			return -1, err
		}
		if first {
			continue // the rest of the line that lo stands in
		}
		typ := event.Type(line)
		if starts(before, typ) {
			return base + r.Offset(), nil
		}
		before = follows(before, typ)
	}
}

// lastTurn returns the offset of the last line before an offset that starts a turn, 0 if
// there is none.
func lastTurn(j io.ReaderAt, end int64) (at int64, err error) {
	next, nextAt := "", int64(0) // the line that the one being looked at stands before
	err = Backward(j, end, func(line []byte, offset int64) bool {
		typ := event.Type(line)
		if follows("", typ) == "" {
			return true // an answer tells nothing about what follows it
		}
		if starts(typ, next) {
			at = nextAt
			return false
		}
		next, nextAt = typ, offset
		return true
	})
	return at, err
}

// Cut returns the offset near which a conversation of size bytes begins under a budget in
// tokens, 0 as long as it fits. Beyond that it moves in steps of half the budget. Between
// two steps the request only grows, so that the provider's cache of the prefix holds.
func Cut(size int64, budget int) int64 {
	limit := int64(budget) * bytesPerToken
	if budget <= 0 || size <= limit {
		return 0
	}
	step := max(limit/2, 1)
	return (size - limit + step - 1) / step * step
}

// Backward calls do with each line of a journal's first size bytes and its offset, the
// last line first, until do returns false. The line has no newline and is valid until do
// returns. Backward reads no more than it needs. A line longer than event.MaxLine is
// given as nil.
func Backward(j io.ReaderAt, size int64, do func(line []byte, at int64) bool) error {
	var rest []byte // what is read and not yet told: it begins at from
	long := false   // behind rest there was more of its last line
	from, chunk := size, int64(64<<10)
	tell := func(at int) bool {
		line := rest[at:]
		if long || len(line) > event.MaxLine {
			line, long = nil, false
		}
		return do(line, from+int64(at))
	}
	for first := true; from > 0; first = false {
		n := min(chunk, from)
		b := make([]byte, n, n+int64(len(rest)))
		if _, err := j.ReadAt(b, from-n); err != nil {
			return err
		}
		rest, from = append(b, rest...), from-n
		if first {
			rest = bytes.TrimSuffix(rest, []byte{'\n'})
		}
		for i := bytes.LastIndexByte(rest, '\n'); i >= 0; i = bytes.LastIndexByte(rest, '\n') {
			if !tell(i + 1) {
				return nil
			}
			rest = rest[:i]
		}
		if len(rest) > event.MaxLine {
			rest, long = nil, true
		}
		chunk = max(chunk, int64(len(rest))) // a long line is gathered in steps that double
	}
	if size > 0 {
		tell(0)
	}
	return nil
}
