package appender

import (
	"bytes"
	"errors"
	"slices"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// A batch is the lines that arrived together.
type batch struct {
	text   []byte // as they came
	at     int64  // offset in the stream
	pieces []piece
}

// A piece is one event of a batch.
type piece struct {
	line []byte          // as it is passed on
	bad  event.Malformed // why it is no event, if it is none
	typ  string
	kept bool // it goes into the journal
	seal journal.Sealer
	err  error // why its media can't be kept
}

// read reads the next batch of a source.
func (b *batch) read(s *source) (err error) {
	b.text, b.at, err = s.next(store.Reuse(b.text))
	return err
}

// prepare does everything for each line that does not depend on earlier lines. Empty
// lines are skipped.
func (b *batch) prepare(a *Appender) {
	b.pieces = b.pieces[:0]
	at := b.at
	for line := range bytes.Lines(b.text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n := len(b.pieces)
			b.pieces = slices.Grow(b.pieces, 1)[:n+1]
			b.pieces[n].prepare(a, bytes.TrimSuffix(line, []byte{'\n'}), at)
		}
		at += int64(len(line))
	}
}

// prepare checks and hashes the line, which is at an offset of the stream.
func (p *piece) prepare(a *Appender, line []byte, at int64) {
	p.bad = event.Malformed{}
	var bad *event.Malformed
	if errors.As(event.Check(line, at), &bad) {
		p.line, p.bad = line, *bad
		return
	}
	p.hash(a, line)
}

// hash hashes an event that is kept.
func (p *piece) hash(a *Appender, line []byte) {
	p.line, p.typ, p.err = line, event.Type(line), nil
	if p.kept = p.typ != "delta" || a.deltas; !p.kept {
		return
	}
	stored, err := journal.Detach(line, a.dir, a.safe)
	if err != nil {
		p.err = err
		return
	}
	p.seal.Begin(stored)
}
