package event

import (
	"io"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"ua/internal/common/descriptor"
)

// A Writer writes events. Each line, or several that belong together, is one Write call, so
// that nothing is held back and lines of several goroutines never mix.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: descriptor.Writer(w)} }

// Write writes lines, which have no newlines, with a newline after each.
func (w *Writer) Write(lines ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = w.buf[:0]
	for _, line := range lines {
		w.buf = append(append(w.buf, line...), '\n')
	}
	_, err := w.w.Write(w.buf)
	// One very long line must not keep its memory for good.
	if cap(w.buf) > 1<<20 {
		w.buf = nil
	}
	return err
}

// Broken writes the error event of a stage for broken lines. It writes nothing for nil.
func (w *Writer) Broken(stage string, bad *Malformed) error {
	if bad == nil {
		return nil
	}
	return w.Write(Error(stage, bad.Error(), false))
}

// A Builder builds one event, member by member.
type Builder struct{ b []byte }

// New starts an event of the type, with the present time as "ts".
func New(typ string) *Builder { return At(typ, Now()) }

// At starts an event of the type with the time ts, none if it is "".
func At(typ, ts string) *Builder { return begin(make([]byte, 0, 256), typ, ts) }

// Again is New in the memory of a line that nobody needs any more.
func Again(line []byte, typ string) *Builder { return begin(line[:0], typ, Now()) }

func begin(b []byte, typ, ts string) *Builder {
	e := &Builder{append(b, `{"type":`...)}
	e.b = AppendString(e.b, typ)
	return e.OptStr("ts", ts)
}

// Now returns the time in the form of "ts": RFC 3339 with milliseconds, UTC.
func Now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// key adds the name of a member.
func (e *Builder) key(k string) {
	e.b = append(e.b, ',')
	e.b = append(AppendString(e.b, k), ':')
}

// Str adds a string.
func (e *Builder) Str(k, v string) *Builder {
	e.key(k)
	e.b = AppendString(e.b, v)
	return e
}

// OptStr adds a string unless it is empty.
func (e *Builder) OptStr(k, v string) *Builder {
	if v == "" {
		return e
	}
	return e.Str(k, v)
}

// Int adds a whole number.
func (e *Builder) Int(k string, v int64) *Builder {
	e.key(k)
	e.b = strconv.AppendInt(e.b, v, 10)
	return e
}

// Float adds a finite number.
func (e *Builder) Float(k string, v float64) *Builder {
	e.key(k)
	e.b = strconv.AppendFloat(e.b, v, 'g', -1, 64)
	return e
}

// Bool adds true or false.
func (e *Builder) Bool(k string, v bool) *Builder {
	e.key(k)
	e.b = strconv.AppendBool(e.b, v)
	return e
}

// Raw adds a member whose value is JSON text without newlines.
func (e *Builder) Raw(k string, json []byte) *Builder {
	e.key(k)
	e.b = append(e.b, json...)
	return e
}

// Add adds a member whose value is the JSON text without newlines that value appends.
func (e *Builder) Add(k string, value func([]byte) []byte) *Builder {
	e.key(k)
	e.b = value(e.b)
	return e
}

// Line ends the event and returns its line. The Builder cannot be used after that.
func (e *Builder) Line() []byte { return append(e.b, '}') }

// Error returns an error event. stage names the program, and retryable says whether
// trying again makes sense.
func Error(stage, message string, retryable bool) []byte {
	return New("error").Str("stage", stage).Str("message", message).Bool("retryable", retryable).
		Line()
}

// hex are the digits of an escape.
const hex = "0123456789abcdef"

// AppendString appends s as a JSON string (RFC 8259, section 7). A byte that is not UTF-8
// becomes U+FFFD. U+2028 and U+2029, at which some readers split lines, are escaped.
func AppendString[S string | []byte](b []byte, s S) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if (r == utf8.RuneError && n == 1) || r == '\u2028' || r == '\u2029' {
				b = append(append(b, s[from:i]...), escapeRune(r)...)
				from = i + n
			}
			i += n
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// escapeRune returns the escape of a character that AppendString replaces.
func escapeRune(r rune) string {
	switch r {
	case '\u2028':
		return `\u2028`
	case '\u2029':
		return `\u2029`
	}
	return "\ufffd"
}
