package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// newline ends every event.
var newline = []byte{'\n'}

// A textWriter writes only the model's text out of a stream of events. It ends an answer with a
// newline if that has none. A person sees the text as it comes; others get that of the
// response, which alone tells what of it was thinking.
type textWriter struct {
	w    io.Writer
	live bool   // a person watches
	line []byte // one that is not whole yet
	last byte   // of what was written
}

// Write takes events in pieces of any size. It never returns less than len(b) without an
// error.
func (t *textWriter) Write(b []byte) (int, error) {
	n := len(b)
	for {
		line, rest, whole := bytes.Cut(b, newline)
		t.line = append(t.line, line...)
		if !whole {
			return n, nil
		}
		if err := t.event(gjson.ParseBytes(t.line)); err != nil {
			return 0, err
		}
		t.line, b = t.line[:0], rest
	}
}

// event writes the text of one event.
func (t *textWriter) event(ev gjson.Result) error {
	text := ""
	switch ev.Get("type").Str {
	case "delta":
		if t.live && ev.Get("kind").Str == "text" {
			text = ev.Get("text").Str
		}
	case "response":
		for _, said := range ev.Get(`content.#(type=="text")#.text`).Array() {
			if !t.live {
				text += said.Str
			}
		}
		if text == "" && t.last == 0 || strings.HasSuffix(text, "\n") || text == "" && t.last == '\n' {
			break
		}
		text += "\n"
	}
	if text == "" {
		return nil
	}
	t.last = text[len(text)-1]
	_, err := io.WriteString(t.w, text)
	return err
}
