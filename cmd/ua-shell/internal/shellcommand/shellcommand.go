// Package shellcommand keeps what commands in a live shell print, up to a limit, and makes text
// for a model of it as ua-exec does: without control sequences and secrets, scrubbed and
// framed.
package shellcommand

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"ua/internal/common/capture"
	"ua/internal/common/redact"
	"ua/internal/common/scrub"
)

// A command's output is kept as it came: this many bytes of its start and of its end.
const (
	headSize = 32 << 10
	tailSize = 96 << 10
)

// Text limits the text of the output of a command that the model ran, in bytes. It equals
// ua-exec's --output-max.
const Text = 32 << 10

// A Command is a command of the live shell and what it printed.
type Command struct {
	Line, Cwd string
	Status    int
	Began     time.Time
	Took      time.Duration

	kept []byte // the start, and all or the last of what follows
	seen int64
}

// Write takes what the command prints.
func (c *Command) Write(p []byte) {
	c.seen += int64(len(p))
	c.kept = append(c.kept, p...)
	if len(c.kept) > headSize+2*tailSize {
		c.kept = c.bounded()
	}
}

// bounded returns the start and the end of what was kept, which it overwrites.
func (c *Command) bounded() []byte {
	if len(c.kept) <= headSize+tailSize {
		return c.kept
	}
	return append(c.kept[:headSize], c.kept[len(c.kept)-tailSize:]...)
}

// Seen returns how many bytes the command printed.
func (c *Command) Seen() int64 { return c.seen }

// raw returns what was kept. Where bytes are missing, a note stands in their place, and
// the lines that are torn there are dropped: half a secret would not be recognized as
// one.
func (c *Command) raw() []byte {
	c.kept = c.bounded()
	if c.seen == int64(len(c.kept)) {
		return bytes.Clone(c.kept)
	}
	head, tail := bytes.Clone(c.kept[:headSize]), c.kept[headSize:]
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	_, tail, _ = bytes.Cut(tail, []byte{'\n'})
	return append(fmt.Appendf(head, "[… %d bytes are left out here …]\n",
		c.seen-int64(len(head)+len(tail))), tail...)
}

// Output returns the text for a model, at most limit bytes and, unless lines is 0, only
// that many last lines. got tells what was cut and whether the output is binary.
func (c *Command) Output(secrets *redact.Set, limit, lines int) (text string,
	got *capture.Result) {
	raw := bytes.ReplaceAll(eol(c.raw()), []byte("\r\n"), []byte("\n"))
	kept := capture.New(capture.Options{Max: limit, Fold: true, Secrets: secrets})
	kept.Write(raw)
	got = kept.Close(false)
	text = got.Text
	if got.Binary {
		text = fmt.Sprintf("[%d bytes of binary data, not shown]\n", c.seen)
	}
	if lines > 0 {
		text = last(text, lines)
	}
	return capture.Frame(strings.TrimRight(text, "\n")), got
}

// last returns the last n lines of text.
func last(text string, n int) string {
	all := strings.SplitAfter(strings.TrimRight(text, "\n"), "\n")
	if len(all) <= n {
		return text
	}
	return fmt.Sprintf("[… %d lines are left out here …]\n", len(all)-n) +
		strings.Join(all[len(all)-n:], "")
}

// eol returns b without what zsh prints after each command's output to begin the prompt
// on a line of its own (zshparam(1), PROMPT_EOL_MARK): a mark, blanks up to the right
// margin, and a carriage return.
func eol(b []byte) []byte {
	end, ok := bytes.CutSuffix(b, []byte("\r \r"))
	if !ok {
		return b
	}
	from := bytes.LastIndexByte(end, '\n') + 1
	var ansi scrub.ANSI
	line := bytes.TrimRight(ansi.Strip(bytes.Clone(end[from:])), " ")
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("%")), []byte("#"))
	return append(end[:from:from], line...)
}
