package capture

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// A headTail keeps the first and the last bytes of a text in memory, and all of it in a
// file once it is longer than that.
type headTail struct {
	max     int
	fileMax int64
	create  func() (*os.File, error)

	head, tail []byte // until cut head holds all, then each up to max/2
	cut        bool
	seen       int64
	lines      int64 // newlines seen

	file    *os.File
	name    string
	written int64
	err     error
}

// write takes the next bytes. Up to max bytes everything stays in head.
func (k *headTail) write(p []byte) {
	k.seen += int64(len(p))
	if !k.cut {
		n := min(len(p), k.max-len(k.head))
		k.head = append(k.head, p[:n]...)
		if p = p[n:]; len(p) == 0 {
			return
		}
		k.overflow()
	}
	k.lines += int64(bytes.Count(p, []byte{'\n'}))
	k.toFile(p)
	half := k.max / 2
	if len(p) >= half {
		k.tail = append(k.tail[:0], p[len(p)-half:]...)
		return
	}
	if len(k.tail)+len(p) > 2*half {
		k.tail = k.tail[:copy(k.tail, k.tail[len(k.tail)-half:])]
	}
	k.tail = append(k.tail, p...)
}

// overflow splits what was kept into head and tail, and begins the file.
func (k *headTail) overflow() {
	k.cut = true
	k.lines = int64(bytes.Count(k.head, []byte{'\n'}))
	if k.fileMax > 0 && k.create != nil {
		if k.file, k.err = k.create(); k.err == nil {
			k.name = k.file.Name()
		}
	}
	k.toFile(k.head)
	half := k.max / 2
	k.tail = append(make([]byte, 0, k.max), k.head[len(k.head)-half:]...)
	k.head = k.head[:half]
}

// toFile adds p to the file, as far as its limit and the disk allow.
func (k *headTail) toFile(p []byte) {
	if k.file == nil || k.err != nil {
		return
	}
	whole := p
	p = p[:min(int64(len(p)), k.fileMax-k.written)]
	n, err := k.file.Write(p)
	if k.written += int64(n); err != nil {
		k.err = err
	} else if len(p) < len(whole) {
		k.err = fmt.Errorf("it may hold %d bytes", k.fileMax)
	}
}

// close closes the file.
func (k *headTail) close() {
	if k.file == nil {
		return
	}
	if err := k.file.Close(); k.err == nil {
		k.err = err
	}
}

// parts returns the head and the tail that are shown. If something is cut out between
// them, they end and begin with a whole line, unless that would drop a quarter of them.
func (k *headTail) parts() (head, tail []byte) {
	if !k.cut {
		return k.head, nil
	}
	half := k.max / 2
	head = k.head
	tail = k.tail[max(0, len(k.tail)-half):]
	if i := bytes.LastIndexByte(head, '\n') + 1; i >= len(head)*3/4 {
		head = head[:i]
	}
	if i := bytes.IndexByte(tail, '\n') + 1; i > 0 && i <= len(tail)/4 {
		tail = tail[i:]
	}
	return wholeRunes(head), tailRunes(tail)
}

// wholeRunes returns b without an incomplete character at its end.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// tailRunes returns b without the rest of a character at its start.
func tailRunes(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// note returns the line that says what was cut out if kept bytes are shown.
func (k *headTail) note(kept int64) string {
	note := fmt.Sprintf("[ua-exec: %d of %d bytes in %d lines are cut out here", k.seen-kept,
		k.seen, k.lines)
	switch {
	case k.name == "":
	case k.err == nil:
		note += "; the whole output is in " + k.name
	default:
		note += fmt.Sprintf("; the first %d bytes are in %s (%v)", k.written, k.name, k.err)
	}
	return note + "]"
}

// clamp returns text with at most limit bytes. Making hidden bytes visible may have made
// it longer.
func clamp(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return string(wholeRunes([]byte(text[:limit]))) + "\n[ua-exec: the rest is cut off]"
}

// Frame marks text as output of a terminal, so that a model can tell it from
// instructions. The text cannot contain the marks: package scrub removes them.
func Frame(text string) string {
	if text == "" {
		return ""
	}
	return "<terminal_output>\n" + strings.TrimSuffix(text, "\n") + "\n</terminal_output>\n"
}
