package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// An answer is what the model says to one request. A provider's decoder feeds
// it; text leaves as delta events at once, a call as a tool_call event when it
// is complete. What is kept is kept in the form in which the response event
// carries it, so that a long answer stands in memory once.
type answer struct {
	out    *outbox
	limits limits
	ids    map[string]bool // of the conversation's calls: a new call's must differ
	blocks []*block
	text   int // bytes of text and thinking so far
	input  int // bytes of calls' inputs so far

	model string // as the provider calls it
	stop  string // the neutral stop reason, "" while the model goes on
	why   string // the provider's words for a refusal, or its own reason
	usage usage
	began bool // something has left: the request can't be made again
	calls int

	spec     string // PROVIDER/NAME that was asked
	paid     bool   // a provider was asked, who takes money
	sha      string // of the request's body
	start    time.Time
	recorded []byte // the response event, when a recording or a program gave it whole
	scratch  []byte
}

// A block is one part of an answer's content.
type block struct {
	kind  string // text, thinking, tool_use, or raw for what is carried whole
	body  rope   // the text escaped for JSON, the call's input, or the whole block
	id    string
	name  string
	extra []byte // more members of the block, each with its comma before it
	given string // the id that the provider gave a call
	done  bool
}

// A rope is bytes in pieces: it grows without being copied.
type rope struct {
	pieces [][]byte
	size   int
}

func (r *rope) add(b []byte) {
	r.size += len(b)
	if n := len(r.pieces) - 1; n >= 0 {
		last := r.pieces[n]
		fits := min(cap(last)-len(last), len(b))
		r.pieces[n] = append(last, b[:fits]...)
		b = b[fits:]
	}
	if len(b) > 0 {
		room := max(len(b), min(max(r.size, 256), 64<<10))
		r.pieces = append(r.pieces, append(make([]byte, 0, room), b...))
	}
}

func (r *rope) join() []byte {
	if len(r.pieces) == 1 {
		return r.pieces[0]
	}
	return bytes.Join(r.pieces, nil)
}

// view is b as a string that holds only while b does.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// open starts a block.
func (a *answer) open(kind string) *block {
	b := &block{kind: kind}
	a.blocks = append(a.blocks, b)
	return b
}

// last is the newest block if it is of the kind and not done, otherwise a new
// one.
func (a *answer) last(kind string) *block {
	if n := len(a.blocks); n > 0 && a.blocks[n-1].kind == kind && !a.blocks[n-1].done {
		return a.blocks[n-1]
	}
	return a.open(kind)
}

// say adds text, a JSON string's value, to a block of text or thinking.
func (a *answer) say(b *block, text gjson.Result) error {
	escaped := a.escaped(text)
	if len(escaped) == 0 {
		return nil
	}
	if a.text += len(escaped); a.text > a.limits.text {
		return &failure{msg: "the answer's text is longer than " + size(a.limits.text), hint: "--max-text BYTES lifts the limit", status: prog.No}
	}
	a.began = true
	b.body.add(escaped)
	a.out.addDelta(b.kind, escaped)
	return nil
}

// sayIn adds text to the block that in gives, which is not asked for without any.
func (a *answer) sayIn(in func(*answer) *block, text gjson.Result) error {
	if text.Type != gjson.String || len(text.Str) == 0 {
		return nil
	}
	return a.say(in(a), text)
}

// escaped is the text of v as it stands between the quotes of a JSON string. The
// bytes of the provider's own string serve when they are plain: they hold no
// byte that is no UTF-8, no half of a surrogate pair, no line separator.
func (a *answer) escaped(v gjson.Result) []byte {
	if v.Type != gjson.String || len(v.Raw) < 2 {
		return nil
	}
	raw := v.Raw[1 : len(v.Raw)-1]
	if plain(raw) {
		return unsafe.Slice(unsafe.StringData(raw), len(raw))
	}
	a.scratch = event.AppendString(a.scratch[:0], v.Str)
	return a.scratch[1 : len(a.scratch)-1]
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c == '\\' && i+2 < len(s) && s[i+1] == 'u' && (s[i+2] == 'd' || s[i+2] == 'D' || s[i+2] == '2') {
			return false
		}
	}
	return true
}

// feed adds a piece of a call's input, JSON text in a JSON string.
func (a *answer) feed(b *block, piece gjson.Result) error {
	if piece.Type != gjson.String {
		return nil
	}
	return a.feedRaw(b, piece.Str)
}

// feedRaw adds a piece of a call's input.
func (a *answer) feedRaw(b *block, piece string) error {
	if a.input += len(piece); a.input > a.limits.event {
		return &failure{msg: "the inputs of the answer's calls are longer than " + size(a.limits.event), hint: "--max-event BYTES lifts the limit", status: prog.No}
	}
	b.body.add(unsafe.Slice(unsafe.StringData(piece), len(piece)))
	return nil
}

// call starts a call. An id that is missing or was used before is replaced.
func (a *answer) call(id, name string) *block {
	b := a.open("tool_use")
	id, name = strings.Clone(id), strings.Clone(name)
	for id == "" || a.ids[id] || a.has(id) {
		var r [9]byte
		rand.Read(r[:])
		id = "call_" + hex.EncodeToString(r[:])
	}
	b.id, b.name = id, name
	return b
}

// has says whether a call of this answer has the id.
func (a *answer) has(id string) bool {
	return slices.ContainsFunc(a.blocks, func(b *block) bool { return b.id == id })
}

// close ends a block. A call that is complete leaves; one whose input is no
// JSON object is answered by an error, and the model sees both.
func (a *answer) close(b *block) {
	if b.done {
		return
	}
	if b.done = true; b.kind != "tool_use" {
		return
	}
	a.began = true
	a.calls++
	input := tidy(b.body.join())
	if input == nil {
		bad := b.body.join()
		b.body = rope{pieces: [][]byte{[]byte("{}")}, size: 2}
		msg := "the input of this call is not a JSON object: " + strings.ToValidUTF8(string(bad[:min(len(bad), 200)]), "\ufffd")
		a.out.add(event.New("error").Str("stage", stage).Str("call_id", b.id).Str("message", msg).Bool("retryable", false).Line())
		return
	}
	b.body = rope{pieces: [][]byte{input}, size: len(input)}
	head := event.New("tool_call").Str("id", b.id).Str("name", b.name).Raw("input", nil).Line()
	a.out.add(head[:len(head)-1], input, []byte{'}'})
}

// tidy is a call's input as an event carries it, on one line and in UTF-8; nil
// when it is no JSON object. No input at all is an empty object.
func tidy(input []byte) []byte {
	if len(bytes.TrimSpace(input)) == 0 {
		return []byte("{}")
	}
	if !gjson.ValidBytes(input) || bytes.TrimLeft(input, " \t\r\n")[0] != '{' {
		return nil
	}
	if bytes.ContainsAny(input, "\r\n") {
		input = []byte(gjson.GetBytes(input, "@ugly").Raw)
	}
	if !utf8.Valid(input) {
		input = bytes.ToValidUTF8(input, []byte("\ufffd"))
	}
	return input
}

// content is the blocks as the parts of a JSON array. Of a block that was cut
// off only text is kept.
func (a *answer) content() (parts [][]byte) {
	sep := "["
	for _, b := range a.blocks {
		if !b.done && b.kind != "text" || b.kind == "text" && b.body.size == 0 {
			continue
		}
		var head []byte
		tail := "}"
		switch b.kind {
		case "raw":
			parts = append(append(parts, []byte(sep)), b.body.pieces...)
			sep = ","
			continue
		case "tool_use":
			head = event.AppendString(append(head, sep+`{"type":"tool_use","id":`...), b.id)
			head = append(event.AppendString(append(head, `,"name":`...), b.name), `,"input":`...)
		default:
			head = append(head, sep+`{"type":"`+b.kind+`","`+b.kind+`":"`...)
			tail = `"}`
		}
		parts = append(append(parts, head), b.body.pieces...)
		parts = append(parts, append(append([]byte(tail[:len(tail)-1]), b.extra...), '}'))
		sep = ","
	}
	if sep == "[" {
		return [][]byte{[]byte("[]")}
	}
	return append(parts, []byte("]"))
}
