// Package event reads and writes the lines that the programs exchange: one JSON object on
// each line, in UTF-8, ended by "\n", with a string member "type" (ua-events(5)). A line
// is kept as bytes. A program looks only at the members that it needs, and never encodes
// a line again that it passes on.
package event

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"ua/internal/common/descriptor"
)

// MaxLine is the longest line, in bytes without its newline, that a Reader
// returns: 64 MiB and room for what a program adds to it.
const MaxLine = 65 << 20

// A Malformed is the error for one line that is no event. The stream goes on after it.
type Malformed struct {
	Offset int64 // of the line's first byte in the stream
	Why    string
}

// Error says where the line is and what is wrong with it.
func (e *Malformed) Error() string {
	return fmt.Sprintf("line at byte %d: %s", e.Offset, e.Why)
}

// A Reader splits a stream into events.
type Reader struct {
	buf  *bufio.Reader
	long []byte // holds a line that is longer than buf
	at   int64  // offset of the next line
	next int64  // offset of the line after the last one returned
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{buf: bufio.NewReaderSize(descriptor.Reader(r), 64<<10)}
}

// Offset returns the offset in the stream of the line that the last Next returned.
func (r *Reader) Offset() int64 { return r.at }

// Next returns the next event without its newline. The bytes are valid until the next
// call. Empty lines are skipped. The error is io.EOF at the end, a *Malformed for a line
// that is no JSON object with a string "type", or that of the underlying reader. With a
// *Malformed, line has the bytes, unless it was longer than MaxLine. A last line without
// a newline counts as a line.
func (r *Reader) Next() (line []byte, err error) {
	for {
		line, err = r.Line()
		if err != nil {
			return line, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
	}
	return line, Check(line, r.at)
}

// Line returns the next line in the way of Next, whatever is in it.
func (r *Reader) Line() ([]byte, error) {
	r.at = r.next
	line, err := r.buf.ReadSlice('\n')
	r.next += int64(len(line))
	if err == bufio.ErrBufferFull {
		line, err = r.readLong(line)
	}
	if err != nil && (len(line) == 0 || err != io.EOF) {
		return nil, err
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), nil
}

// readLong reads a line that is longer than the buffer.
func (r *Reader) readLong(start []byte) ([]byte, error) {
	r.long = append(r.long[:0], start...)
	over := false
	for {
		part, err := r.buf.ReadSlice('\n')
		r.next += int64(len(part))
		if over = over || len(r.long)+len(part) > MaxLine+1; !over {
			r.long = append(r.long, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if over {
			r.long = nil
			return nil, &Malformed{Offset: r.at, Why: fmt.Sprintf("longer than %d bytes", MaxLine)}
		}
		long := r.long
		// One very long line must not keep its memory for good.
		if cap(r.long) > 1<<20 {
			r.long = nil
		}
		return long, err
	}
}

// Check returns a *Malformed if the line, at an offset of a stream, is no event, and
// otherwise nil.
func Check(line []byte, at int64) error {
	if why := check(line); why != "" {
		return &Malformed{Offset: at, Why: why}
	}
	return nil
}

// check says why a line is no event, "" if it is one.
func check(line []byte) string {
	switch {
	case len(line) > MaxLine:
		return fmt.Sprintf("longer than %d bytes", MaxLine)
	case !ValidJSON(line):
		return "not JSON"
	case bytes.TrimLeft(line, blanks)[0] != '{':
		return "not a JSON object"
	case !bytes.HasPrefix(line, typeFirst) && gjson.GetBytes(line, "type").Type != gjson.String:
		return `no string "type"`
	}
	return ""
}

// typeFirst is how all events of ours begin.
var typeFirst = []byte(`{"type":"`)

// Valid reports whether line is an event.
func Valid(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 && check(line) == "" }

// blanks are those between the tokens of JSON.
const blanks = " \t\r\n"

// maxDepth is how deep the arrays and objects of a line may be nested.
const maxDepth = 10000

// ValidJSON reports whether b is one JSON value (RFC 8259), perhaps with blanks around
// it. It does not check whether strings are UTF-8. gjson is the faster one and recurses as deep
// as a line is nested; encoding/json refuses what is nested deeper than maxDepth.
func ValidJSON(b []byte) bool {
	if bytes.Count(b, []byte{'['})+bytes.Count(b, []byte{'{'}) > maxDepth {
		return json.Valid(b)
	}
	return gjson.ValidBytes(b)
}

// Type returns the event's type, or "" if line is no event.
func Type(line []byte) string {
	if rest, ours := bytes.CutPrefix(line, typeFirst); ours {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end])
		}
	}
	return Str(line, "type")
}

// Str returns the string at path (in gjson's syntax), or "".
func Str(line []byte, path string) string {
	if v := gjson.GetBytes(line, path); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// Strings returns copies of the texts in the array at path.
func Strings(line []byte, path string) (list []string) {
	for _, v := range gjson.GetBytes(line, path).Array() {
		list = append(list, strings.Clone(v.String()))
	}
	return list
}

// Twice returns the first of the names that an object has more than once, or "". Readers
// differ in which of two members they take.
func Twice(object gjson.Result, names ...string) string {
	return Members(object, make([]gjson.Result, len(names)), names...)
}

// Members is Twice, and sets values to those of the members.
func Members(object gjson.Result, values []gjson.Result, names ...string) (twice string) {
	object.ForEach(func(key, value gjson.Result) bool {
		i := slices.Index(names, key.Str)
		switch {
		case i < 0:
		case values[i].Exists():
			twice = cmp.Or(twice, key.Str)
		default:
			values[i] = value
		}
		return true
	})
	return twice
}

// Each calls do with each event of r in order. A malformed line becomes an error event of
// stage, written to w (BrokenLines), and the stream goes on. The error is that of r, w or
// do.
func Each(r *Reader, stage string, w *Writer, do func(line []byte) error) error {
	var broken BrokenLines
	for {
		line, err := r.Next()
		var bad *Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			err = w.Broken(stage, broken.Add(bad))
		case err == nil:
			err = do(line)
		}
		if err != nil {
			return err
		}
	}
}

// ResponseText returns the text blocks of a response event, joined, and whether the
// response is final: one that calls no tool.
func ResponseText(response []byte) (text string, final bool) {
	var b strings.Builder
	final = true
	gjson.GetBytes(response, "content").ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").Str {
		case "text":
			b.WriteString(block.Get("text").Str)
		case "tool_use":
			final = false
		}
		return true
	})
	return b.String(), final
}

// Visible reports whether a text has anything that a reader would see. Blanks, marks of
// direction, joiners and a byte order mark are nothing to see.
func Visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r)
	})
}

// Calls reports whether a response calls for commands.
func Calls(response []byte) bool {
	return gjson.GetBytes(response, `content.#(type=="tool_use").id`).Exists()
}

// FromPipe reports whether events of the type come from the stages of a run.
func FromPipe(typ string) bool {
	switch typ {
	case "delta", "tool_call", "verdict", "tool_result", "response", "error":
		return true
	}
	return false
}

// maxBroken is how many broken lines of a stream get an error event. 64 MB can hold 22
// million of them, and every error is kept in the journal.
const maxBroken = 128

// BrokenLines counts the lines of a stream that are no events. The zero value is ready for use.
type BrokenLines int

// Add takes a broken line, and returns the error that is due for it: nil after maxBroken, of
// which the last one says so.
func (b *BrokenLines) Add(bad *Malformed) *Malformed {
	switch *b++; {
	case *b > maxBroken:
		return nil
	case *b == maxBroken:
		return &Malformed{bad.Offset, bad.Why + "; further lines that are no events are not reported"}
	}
	return bad
}
