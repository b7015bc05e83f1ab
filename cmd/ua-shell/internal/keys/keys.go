// Package keys tells a person's keys from what the terminal itself answers to a program.
package keys

import (
	"bytes"
	"strings"
)

// CtrlC is the byte of Ctrl-C.
const CtrlC = 3

// ctrlC is how Ctrl-C comes from a terminal that was asked to tell keys apart
// (kitty's keyboard protocol).
const ctrlC = "\x1b[99;5u"

// Part splits what came from the terminal into answers and keys. Answers are for the
// program that asked the terminal for them. Ctrl-C is its byte among the keys, also where
// the terminal sends it as a sequence.
func Part(p []byte) (answers, keys []byte) {
	for len(p) > 0 {
		if n := report(p); n > 0 {
			answers = append(answers, p[:n]...)
			p = p[n:]
			continue
		}
		end := bytes.IndexByte(p[1:], 0x1b) + 1
		if end == 0 {
			end = len(p)
		}
		keys = append(keys, p[:end]...)
		p = p[end:]
	}
	return answers, bytes.ReplaceAll(keys, []byte(ctrlC), []byte{CtrlC})
}

// report returns the length of the terminal's answer at the start of p, or 0. Answers are
// strings (OSC, DCS, APC) and CSI sequences with a final byte that no key has: DA, CPR,
// DSR, XTWINOPS, DECRPM and kitty's flags (xterm's ctlseqs).
func report(p []byte) int {
	if len(p) < 3 || p[0] != 0x1b {
		return 0
	}
	switch p[1] {
	case ']', 'P', '_':
		if end := bytes.IndexByte(p, 7); end > 0 && p[1] == ']' {
			return end + 1
		}
		if end := bytes.Index(p[2:], []byte("\x1b\\")); end >= 0 {
			return end + 4
		}
	case '[':
		for i, c := range p[2:] {
			switch {
			case c >= 0x40 && c <= 0x7e:
				asked := strings.IndexByte("cnty", c) >= 0 || c == 'R' && i > 1 || c == 'u' &&
					p[2] == '?'
				if asked && i > 0 {
					return i + 3
				}
				return 0
			case c < 0x20 || c > 0x7e:
				return 0
			}
		}
	}
	return 0
}
