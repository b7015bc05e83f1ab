// Package mark finds the marks that the shell prints for us among the bytes that pass to
// the terminal. A mark is a control sequence (OSC, ECMA-48 and xterm's ctlseqs) with a
// number of our own and the session's nonce, which no program is told. Marks are taken
// out, and everything else passes unchanged. The parser also reports what changes how a
// terminal takes input or shows output.
package mark

import (
	"bytes"
	"strconv"
	"strings"
)

// Number is our OSC number. No other program is known to use it.
const Number = "7283"

// maxBody is how many bytes of a mark are kept; a mark can hold a typed line. The rest of
// a longer mark is taken out and dropped.
const maxBody = 1 << 20

// A Kind is what an Event is about.
type Kind int

// The kinds of events.
const (
	Own     Kind = iota // a mark with the right nonce: Letter and Body
	Foreign             // somebody's OSC 133: Letter
	Mode                // a private mode (DECSET, DECRST): Mode and On
)

// An Event is something that the shell's output says to a terminal.
type Event struct {
	Kind   Kind
	Letter byte
	Body   string // of an own mark, what stands behind its letter's semicolon
	Mode   int
	On     bool
}

// A Parser takes output in pieces of any size and finds the marks in it.
type Parser struct {
	Text  func([]byte) // takes what passes; the bytes hold until it returns
	Event func(Event)  // is called in order with Text

	own  string // begins our marks
	held []byte // a sequence that is not whole yet, from earlier pieces
	sent int    // bytes of it that have passed: 1 for an ESC that ended a piece
	seen int    // bytes of the mark in held that are known not to end it
}

// foreign begins an OSC 133, private a private mode.
const (
	foreign = "\x1b]133;"
	private = "\x1b[?"
)

// New returns a Parser for a session. The nonce may not hold a byte below 0x20.
func New(nonce string) *Parser {
	return &Parser{Text: func([]byte) {}, Event: func(Event) {},
		own: "\x1b]" + Number + ";" + nonce + ";"}
}

// Feed takes the next piece of output. A sequence of interest that is not whole at the end of
// the piece is held back, but never a lone ESC.
func (p *Parser) Feed(b []byte) {
	if len(p.held) > 0 {
		b = append(p.held, b...)
	}
	start, at := p.sent, 0 // of what has not passed yet, and of the sequence
	for next := bytes.IndexByte(b, 0x1b); next >= 0; next = bytes.IndexByte(b[at:], 0x1b) {
		at += next
		n, events := p.sequence(b[at:])
		switch own := len(events) > 0 && events[0].Kind == Own; {
		case n == 0:
			p.hold(b, start, at)
			return
		case own && start > at: // a backslash makes its ESC an ST (ECMA-48), which ends nothing
			p.Text([]byte{'\\'})
		case own:
			p.pass(b[start:at])
		case len(events) > 0:
			p.pass(b[start : at+n])
		}
		if at += n; len(events) > 0 {
			start = at
		}
		for _, e := range events {
			p.Event(e)
		}
	}
	p.pass(b[start:])
	p.held, p.sent = nil, 0
}

// hold passes b from start on, but for the sequence at its end, which is not whole.
func (p *Parser) hold(b []byte, start, at int) {
	end := max(start, at)
	if len(b)-at == 1 {
		end = len(b)
	}
	p.pass(b[start:end])
	rest := b[at:]
	if most := len(p.own) + maxBody; len(rest) > most {
		rest, p.seen = rest[:most], maxBody
	}
	if len(p.held) == 0 {
		rest = bytes.Clone(rest) // of the caller's
	}
	p.held, p.sent = rest, end-at
}

// Flush passes what is held back at the end of the output.
func (p *Parser) Flush() {
	p.pass(p.held[p.sent:])
	p.held, p.sent = nil, 0
}

// pass hands bytes on, if there are any.
func (p *Parser) pass(b []byte) {
	if len(b) > 0 {
		p.Text(b)
	}
}

// sequence returns how many bytes of s, which begins with ESC, are done with, and what they
// tell; 0 if more are needed to know. One byte and no event stand for a sequence of no interest.
func (p *Parser) sequence(s []byte) (n int, events []Event) {
	switch {
	case len(s) > 2 && s[1] != ']' && (s[1] != '[' || s[2] != '?'): // most set colours
		return 1, nil
	case begins(s, private):
		return modes(s)
	case begins(s, foreign) && len(s) > len(foreign):
		return len(foreign) + 1, []Event{{Kind: Foreign, Letter: s[len(foreign)]}}
	case begins(s, p.own) && len(s) > len(p.own):
		return p.mark(s)
	case begins(s, foreign), begins(s, p.own):
		return 0, nil
	}
	return 1, nil
}

// begins reports whether s begins with the words, as far as it goes.
func begins(s []byte, words string) bool {
	n := min(len(s), len(words))
	return string(s[:n]) == words[:n]
}

// mark reads a mark of ours, which ends with BEL.
func (p *Parser) mark(s []byte) (n int, events []Event) {
	body := s[len(p.own):]
	end := p.seen
	for end < len(body) && body[end] >= 0x20 {
		end++
	}
	if p.seen = end; end == len(body) {
		return 0, nil
	}
	p.seen = 0
	if body[end] != 0x07 {
		return 1, nil
	}
	e := Event{Kind: Own}
	kind, text, _ := bytes.Cut(body[:min(end, maxBody)], []byte{';'})
	if len(kind) > 0 {
		e.Letter = kind[0]
	}
	e.Body = string(text)
	return len(p.own) + end + 1, []Event{e}
}

// most is how many bytes of the numbers of modes are read.
const most = 64

// modes reads a sequence like ESC [ ? 1 ; 2 h.
func modes(s []byte) (n int, events []Event) {
	params := s[min(len(private), len(s)):]
	end := 0
	for end < min(len(params), most) && strings.IndexByte("0123456789;", params[end]) >= 0 {
		end++
	}
	switch {
	case end == len(params):
		return 0, nil
	case params[end] != 'h' && params[end] != 'l':
		return 1, nil
	}
	for number := range strings.SplitSeq(string(params[:end]), ";") {
		if mode, err := strconv.Atoi(number); err == nil {
			events = append(events, Event{Kind: Mode, Mode: mode, On: params[end] == 'h'})
		}
	}
	return len(private) + end + 1, events
}
