// Package mark finds the marks that the shell prints for us among the bytes that pass to
// the terminal. A mark is a control sequence (OSC, ECMA-48 and xterm's ctlseqs) with a
// number of our own and the session's nonce, which no program is told. Marks are taken
// out, and everything else passes unchanged. The parser also reports what changes how a
// terminal takes input or shows output.
package mark

import "bytes"

// Number is our OSC number. No other program is known to use it.
const Number = "7283"

// maxBody is how many bytes of a mark are kept; a mark can hold a typed line. The rest of
// a longer mark is taken out and dropped.
const maxBody = 1 << 20

// A Kind is what an Event is about.
type Kind int

// The kinds of events.
const (
	Own     Kind = iota // a mark with the right nonce: Letter and Fields
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

// A state is the place in a sequence at which the Parser is.
type state int

const (
	ground  state = iota
	escape        // behind ESC
	intro         // in what may become our mark
	own           // in the body of our mark
	private       // in ESC [ ?
	osc           // in ESC ] 133
)

// A Parser takes output in pieces of any size and finds the marks in it.
type Parser struct {
	Text  func([]byte) // takes what passes; the bytes hold until it returns
	Event func(Event)  // is called in order with Text

	intro []byte // of our marks, behind ESC
	state state
	match int    // bytes of intro, or of foreign, that came
	body  []byte // of our mark
	held  []byte // bytes that may be the start of our mark, from earlier pieces
	sent  bool   // the ESC has passed already: it ended a piece
	modes []int
	digit bool
}

// foreign is what begins an OSC 133, behind ESC.
const foreign = "]133;"

// New returns a Parser for a session. The nonce may not hold a byte below 0x20.
func New(nonce string) *Parser {
	return &Parser{Text: func([]byte) {}, Event: func(Event) {},
		intro: []byte("]" + Number + ";" + nonce + ";")}
}

// Feed takes the next piece of output. A mark that is not whole at the end of the piece
// is held back, but never a lone ESC.
func (p *Parser) Feed(b []byte) {
	start, esc := 0, -1 // of what has not passed yet, and of the sequence
	if p.state == intro || p.state == own {
		esc = 0
	}
	for i := 0; i < len(b); {
		// Most output is text, in which only an ESC is of interest.
		if p.state == ground {
			at := bytes.IndexByte(b[i:], 0x1b)
			if at < 0 {
				break
			}
			if n := plain(b[i+at:]); n > 0 {
				i += at + n
				continue
			}
			esc, p.state, p.sent = i+at, escape, false
			i += at + 1
			continue
		}
		c := b[i]
		was := p.state
		p.step(c)
		switch {
		case p.state == ground && was == own && c == 0x07:
			p.pass(b[start:max(start, esc)])
			start = i + 1
			p.finish()
		// It was no mark of ours after all: all of it passes.
		case (was == intro || was == own) && p.state != intro && p.state != own:
			p.release()
			if p.state == escape {
				esc, p.sent = i, false
			}
		case p.state == escape:
			esc, p.sent = i, false
		}
		i++
		if was == private && len(p.modes) > 0 && p.state == ground {
			p.pass(b[start:i])
			start = i
			p.tell(c == 'h')
		} else if was == osc && p.state == ground && p.match == len(foreign) {
			p.pass(b[start:i])
			start = i
			p.Event(Event{Kind: Foreign, Letter: c})
		}
	}
	switch p.state {
	case intro, own:
		p.pass(b[start:max(start, esc)])
		if len(p.held) < 2*maxBody {
			p.held = append(p.held, b[max(start, esc):]...)
		}
	default:
		p.pass(b[start:])
		p.sent = p.state == escape
	}
}

// plain returns how many bytes at the start of b can be skipped because the sequence is
// of no interest; most set colours. 0 stands for a sequence that has to be parsed.
func plain(b []byte) int {
	switch {
	case len(b) < 3 || b[1] == ']' || b[1] == 0x1b:
		return 0
	case b[1] != '[' || b[2] != '?':
		return 2
	}
	return 0
}

// step moves the parser by one byte of a sequence.
func (p *Parser) step(c byte) {
	switch p.state {
	case escape:
		p.begin(c)
	case intro:
		switch {
		case c == p.intro[p.match]:
			if p.match++; p.match == len(p.intro) {
				p.state, p.body = own, p.body[:0]
			}
		case p.match < len(foreign) && string(p.intro[:p.match]) == foreign[:p.match] &&
			c == foreign[p.match]:
			p.state = osc
			p.match++
		default:
			p.other(c)
		}
	case own:
		switch {
		case c == 0x07:
			p.state = ground
		case c < 0x20:
			p.other(c)
		case len(p.body) < maxBody:
			p.body = append(p.body, c)
		}
	case osc:
		switch {
		case p.match == len(foreign):
			p.state = ground // c is the letter
		case c == foreign[p.match]:
			p.match++
		default:
			p.match = 0
			p.other(c)
		}
	case private:
		p.param(c)
	}
}

// begin enters the state for the byte that follows an ESC.
func (p *Parser) begin(c byte) {
	switch p.match = 0; c {
	case ']':
		p.state, p.match = intro, 1
	case '[':
		p.state, p.modes, p.digit = private, p.modes[:0], false
		p.match = -1 // the question mark is still to come
	default:
		p.other(c)
	}
}

// param takes one byte of a sequence like ESC [ ? 1 ; 2 h.
func (p *Parser) param(c byte) {
	switch {
	case p.match < 0 && c == '?':
		p.match = 0
	case p.match < 0:
		p.modes = p.modes[:0]
		p.other(c)
	case c >= '0' && c <= '9' && len(p.modes) <= 16:
		if !p.digit {
			p.modes = append(p.modes, 0)
		}
		p.digit = true
		last := &p.modes[len(p.modes)-1]
		*last = min(*last*10+int(c-'0'), 1<<20)
	case c == ';':
		p.digit = false
	case c == 'h' || c == 'l':
		p.state = ground
	default:
		p.modes = p.modes[:0]
		p.other(c)
	}
}

// other leaves a sequence that is of no interest. The byte may be the ESC of the next
// one.
func (p *Parser) other(c byte) {
	if p.state = ground; c == 0x1b {
		p.state = escape
	}
}

// tell reports the modes that a sequence set or reset.
func (p *Parser) tell(on bool) {
	for _, m := range p.modes {
		p.Event(Event{Kind: Mode, Mode: m, On: on})
	}
}

// finish ends our mark and drops what was held back of it. If its ESC has passed already,
// a backslash makes that an ST (ECMA-48), which ends nothing.
func (p *Parser) finish() {
	p.held = p.held[:0]
	if p.sent {
		p.Text([]byte{'\\'})
		p.sent = false
	}
	letter := byte(0)
	if len(p.body) > 0 {
		letter = p.body[0]
	}
	_, body, _ := bytes.Cut(p.body, []byte{';'})
	p.Event(Event{Kind: Own, Letter: letter, Body: string(body)})
	if cap(p.body) > 64<<10 {
		p.body = nil
	}
}

// release passes what was held back but is no mark of ours.
func (p *Parser) release() {
	p.pass(p.held)
	p.held, p.sent = p.held[:0], false
}

// Flush passes what is held back at the end of the output.
func (p *Parser) Flush() {
	p.release()
	p.state = ground
}

// pass hands bytes on, if there are any.
func (p *Parser) pass(b []byte) {
	if len(b) > 0 {
		p.Text(b)
	}
}
