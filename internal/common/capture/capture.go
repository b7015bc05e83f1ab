// Package capture takes a command's output and makes it bounded, readable and free of
// secrets. Bytes come in pieces of any size and pass once through all filters: media are
// recognized, control sequences removed, progress bars folded and secrets replaced. Head
// and tail are kept, and all of it goes to a file once there is more than that.
package capture

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"ua/internal/common/media"
	"ua/internal/common/redact"
	"ua/internal/common/scrub"
)

// Options say how a command's output is handled.
type Options struct {
	Max     int                      // bytes of text that are kept
	FileMax int64                    // bytes that the file holds at most
	Fold    bool                     // fold carriage-return progress
	Secrets *redact.Set              // what is replaced
	Create  func() (*os.File, error) // makes the file for the whole output
}

// A Capture takes the output of one command.
type Capture struct {
	opts  Options
	start []byte     // the first bytes, until it is clear what they are; all of media
	kind  media.Type // what the start looks like
	plain bool       // it is text, as far as is known
	ansi  scrub.ANSI
	fold  scrub.Fold
	clean *redact.Stream
	lines []byte // buffer of what fold gave
	space []byte // buffer of what is to be written
	keep  headTail
	seen  int64
}

// New returns an empty Capture.
func New(o Options) *Capture {
	return &Capture{opts: o, keep: headTail{max: o.Max, fileMax: o.FileMax, create: o.Create}}
}

// Space returns room for n bytes to be written. The next Write makes it invalid.
func (c *Capture) Space(n int) []byte {
	if c.clean != nil && !c.opts.Fold {
		return c.clean.Space(n)
	}
	c.space = slices.Grow(c.space[:0], n)
	return c.space[:n]
}

// Write takes p, and may change it. It never fails.
func (c *Capture) Write(p []byte) {
	c.seen += int64(len(p))
	if c.plain || len(p) == 0 {
		c.text(p)
		return
	}
	c.start = append(c.start, p...)
	if c.kind == "" && len(c.start) >= media.Enough {
		c.kind = media.Sniff(c.start)
	}
	if c.kind == "" && len(c.start) >= media.Enough || len(c.start) > maxMedia {
		c.text(c.unsniffed())
	}
}

// unsniffed decides that the output is text, and returns its start.
func (c *Capture) unsniffed() (start []byte) {
	start, c.start, c.plain = c.start, nil, true
	return start
}

// text passes text through the filters.
func (c *Capture) text(p []byte) {
	if len(p) == 0 {
		return
	}
	if c.clean == nil {
		c.clean = c.opts.Secrets.Stream(c.keep.write)
	}
	p = c.ansi.Strip(p)
	if c.opts.Fold {
		c.lines = c.fold.Append(c.lines[:0], p)
		p = c.lines
	}
	c.clean.Write(p)
}

// A Result is what was made of a command's output.
type Result struct {
	Text     string
	Seen     int64 // bytes that the command wrote
	Kept     int64 // bytes of text that were kept of them
	Cut      bool  // part of the text is missing in Text
	Binary   bool  // it was no text, and is not shown
	File     string
	FileErr  error // why the file does not hold all
	Media    media.Type
	Data     []byte // of Media
	Redacted map[string]int
	Scrubbed map[string]int
}

// Close ends the output. With more, output follows, and what may be the start of a secret
// is left to the Ring that takes it.
func (c *Capture) Close(more bool) *Result {
	r := &Result{Seen: c.seen}
	if !c.plain {
		start := c.unsniffed()
		if n := c.kind.Whole(start); n > 0 {
			r.Media, r.Data, start = c.kind, start[:n], start[n:]
		}
		c.text(start)
	}
	if c.clean != nil {
		c.lines = c.fold.Flush(c.lines[:0])
		c.clean.Write(c.lines)
		if more {
			c.clean.Settle()
		} else {
			c.clean.Flush()
		}
		add(&r.Redacted, c.clean.Counts)
	}
	c.keep.close()
	c.compose(r)
	return r
}

// rest redacts what comes after Close, beginning with what that has left over, and calls
// emit with it.
func (c *Capture) rest(emit func([]byte)) *redact.Stream {
	if c.clean == nil {
		return c.opts.Secrets.Stream(emit)
	}
	c.clean.Counts = nil
	c.clean.To(emit)
	return c.clean
}

// compose makes the text for the model from what was kept.
func (c *Capture) compose(r *Result) {
	k := &c.keep
	head, tail := k.parts()
	r.Kept, r.Cut = int64(len(head)+len(tail)), k.cut
	r.File, r.FileErr = k.name, k.err
	if r.Binary = binary(head); r.Binary {
		r.Kept, r.Cut = 0, true
		return
	}
	r.Text = c.readable(head, r)
	if k.cut {
		if r.Text != "" && !strings.HasSuffix(r.Text, "\n") {
			r.Text += "\n"
		}
		r.Text += k.note(r.Kept) + "\n" + c.readable(tail, r)
	}
}

// readable scrubs a part of the text. It looks for secrets a second time, since a hidden
// character may have split one.
func (c *Capture) readable(part []byte, r *Result) string {
	text, odd := scrub.Text(string(part))
	text, secrets := c.opts.Secrets.Text(text)
	add(&r.Scrubbed, odd)
	add(&r.Redacted, secrets)
	return clamp(text, 2*c.opts.Max)
}

// add adds counts to sum, which is nil as long as there are none.
func add(sum *map[string]int, counts map[string]int) {
	for kind, n := range counts {
		if *sum == nil {
			*sum = map[string]int{}
		}
		(*sum)[kind] += n
	}
}

// binary reports whether b is no text: it has many NUL bytes, or a tenth of its
// characters are ones that no text has.
func binary(b []byte) bool {
	b = b[:min(len(b), 8<<10)]
	odd := 0
	for _, r := range string(b) {
		if r == 0xfffd || r < 0x20 && r != '\n' && r != '\r' && r != '\t' && r != '\b' &&
			r != '\f' &&
			r != 0x1b {
			odd++
		}
	}
	nul := bytes.Count(b, []byte{0})
	return odd*10 > len(b) && odd > 8 || nul > 8 && nul*100 > len(b)
}

// maxMedia is the largest file in bytes that is attached to a result. It is what models'
// servers accept.
const maxMedia = 5 << 20
