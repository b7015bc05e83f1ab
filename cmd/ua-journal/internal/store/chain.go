package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// A Chain is what Verify has found along a journal.
type Chain struct {
	lines, torn, redacted int64
	at                    int64        // offset of the last line
	last                  journal.Hash // of the last line
	expected              bool         // the hash that was asked for stands in it
}

// String returns the numbers of lines and the last hash, for people.
func (c Chain) String() string {
	s := fmt.Sprintf("%d lines, last %s", c.lines, c.last[:])
	if c.torn > 0 {
		s += fmt.Sprintf(", %d torn", c.torn)
	}
	if c.redacted > 0 {
		s += fmt.Sprintf(", %d redacted", c.redacted)
	}
	return s
}

// A block is a run of whole lines. Blocks are hashed in parallel.
type block struct {
	at    int64 // offset in the journal
	text  []byte
	lines []link
	done  chan struct{}
}

// A link is what one line contributes to the chain.
type link struct {
	at         int64
	prev, hash journal.Hash
	kind       linkKind
	refs       []string
}

// A linkKind says what a line is to the chain.
type linkKind byte

const (
	chained linkKind = iota
	torn             // no event: cut short by a crash, and fenced
	stub             // stands for a redacted line
	loose            // an event that says nothing of the line before
)

// Verify checks the chain of hashes in the first size bytes of a journal, and the media
// that its lines refer to. Torn lines alone have no chain, which is an error.
// If expect is not "", one line must have that hash. Blocks are hashed on all processors and
// compared in order.
func Verify(j *os.File, size int64, expect string) (c Chain, err error) {
	copy(c.last[:], journal.First)
	c.expected = expect == ""
	blocks, stop := make(chan *block, runtime.GOMAXPROCS(0)), make(chan struct{})
	defer close(stop)
	var readErr error
	go func() {
		defer close(blocks)
		readErr = split(j, size, func(b *block) bool {
			go b.hash()
			select {
			case blocks <- b: // which keeps the order
				return true
			case <-stop:
				return false
			}
		})
	}()
	for b := range blocks {
		<-b.done
		if err := c.walk(b, filepath.Dir(j.Name()), expect); err != nil {
			return c, err
		}
	}
	if readErr == nil && c.torn > 0 && c.torn == c.lines {
		return c, fmt.Errorf("it has no whole line (%d torn), so nothing can be checked", c.torn)
	}
	if readErr == nil && !c.expected {
		readErr = fmt.Errorf("no line has the hash %s", expect)
	}
	return c, readErr
}

// split reads a journal in blocks of whole lines, about 1 MiB each, and calls each until
// that returns false.
func split(j io.ReaderAt, size int64, each func(*block) bool) error {
	for at, n := int64(0), int64(1<<20); at < size; {
		text := make([]byte, min(n, size-at))
		if _, err := j.ReadAt(text, at); err != nil {
			return err
		}
		if at+int64(len(text)) < size {
			text = text[:bytes.LastIndexByte(text, '\n')+1]
		}
		if len(text) == 0 { // a line is longer than the block
			n *= 4
			continue
		}
		if !each(&block{at: at, text: text, done: make(chan struct{})}) {
			return nil
		}
		at, n = at+int64(len(text)), 1<<20
	}
	return nil
}

// hash computes the links of the lines in the block.
func (b *block) hash() {
	defer close(b.done)
	for at := 0; at < len(b.text); {
		line, _, _ := bytes.Cut(b.text[at:], []byte{'\n'})
		b.lines = append(b.lines, newLink(line, b.at+int64(at)))
		at += len(line) + 1
	}
	b.text = nil
}

// newLink returns the link of one line.
func newLink(line []byte, at int64) link {
	l := link{at: at, hash: journal.Sum(line), refs: journal.Refs(line)}
	var ok bool
	if l.prev, ok = journal.Prev(line); ok {
		if _, is := journal.Redacted(line); is {
			l.kind = stub
		}
		return l
	}
	l.kind = torn
	if event.Valid(line) {
		l.kind = loose
	}
	return l
}

// walk checks the links of a block against the chain so far. The error names the first
// line that is wrong.
func (c *Chain) walk(b *block, dir, expect string) error {
	for _, l := range b.lines {
		c.lines++
		switch {
		case l.kind == torn:
			c.torn++
		case l.kind == loose:
			return fmt.Errorf("line %d at byte %d: no hash of the line before: ua-journal did not write it",
				c.lines, l.at)
		// The first line does not follow journal.First.
		case l.prev != c.last && c.lines == 1:
			return fmt.Errorf("line 1 at byte 0: the lines before it are missing")
		case l.prev != c.last:
			return fmt.Errorf("line %d at byte %d: changed, or lines are gone or added behind it: the "+
				"next one follows a line with the hash %s", c.lines-1, c.at, l.prev[:])
		case l.kind == stub:
			c.redacted++
		}
		for _, ref := range l.refs {
			// A stub may have lost its media.
			if _, err := journal.ReadMedia(dir, ref); err != nil &&
				!(errors.Is(err, os.ErrNotExist) && l.kind == stub) {
				return fmt.Errorf("line %d at byte %d: %w", c.lines, l.at, err)
			}
		}
		c.last, c.at = l.hash, l.at
		c.expected = c.expected || expect == string(l.hash[:])
	}
	return nil
}
