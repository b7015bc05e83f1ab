package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// Verify checks the chain of hashes in the first size bytes of a journal, and the media
// that its lines refer to. Torn lines alone have no chain, which is an error.
// If expect is not "", one line must have that hash.
func Verify(j *os.File, size int64, expect string) (c Chain, err error) {
	copy(c.last[:], journal.First)
	c.expected = expect == ""
	in := bufio.NewReaderSize(io.NewSectionReader(j, 0, size), 1<<20)
	for at := int64(0); at < size; {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return c, err
		}
		if err := c.add(bytes.TrimSuffix(line, []byte{'\n'}), at, filepath.Dir(j.Name())); err != nil {
			return c, err
		}
		at += int64(len(line))
		c.expected = c.expected || expect == string(c.last[:])
	}
	if c.torn > 0 && c.torn == c.lines {
		return c, fmt.Errorf("it has no whole line (%d torn), so nothing can be checked", c.torn)
	}
	if !c.expected {
		return c, fmt.Errorf("no line has the hash %s", expect)
	}
	return c, nil
}

// add checks the line at an offset against the chain so far, and its media in the folder dir.
// The error names the first line that is wrong.
func (c *Chain) add(line []byte, at int64, dir string) error {
	c.lines++
	prev, chained := journal.Prev(line)
	_, stub := journal.Redacted(line)
	switch {
	case !chained && event.Valid(line):
		return fmt.Errorf("line %d at byte %d: no hash of the line before: ua-journal did not write it",
			c.lines, at)
	case !chained: // cut short by a crash, and fenced
		c.torn++
	// The first line does not follow journal.First.
	case prev != c.last && c.lines == 1:
		return fmt.Errorf("line 1 at byte 0: the lines before it are missing")
	case prev != c.last:
		return fmt.Errorf("line %d at byte %d: changed, or lines are gone or added behind it: the "+
			"next one follows a line with the hash %s", c.lines-1, c.at, prev[:])
	case stub:
		c.redacted++
	}
	for _, ref := range journal.Refs(line) {
		// A stub may have lost its media.
		if _, err := journal.ReadMedia(dir, ref); err != nil &&
			!(errors.Is(err, os.ErrNotExist) && chained && stub) {
			return fmt.Errorf("line %d at byte %d: %w", c.lines, at, err)
		}
	}
	c.last, c.at = journal.Sum(line), at
	return nil
}
