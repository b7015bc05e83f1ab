package main

import (
	"bytes"
	"runtime"
	"sync/atomic"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

const (
	aheadMin = 4 << 10 // bytes for which a second thread pays
	aheadMax = 256     // lines that are looked at ahead
)

// A feed gives the events of a stream. Of lines that have been read already a
// helper checks and hashes the later ones while the earlier ones are written. A
// line that comes alone waits for nobody.
type feed struct {
	r     *event.Reader
	batch []piece
	at    int          // of the batch, the piece that is given next
	next  atomic.Int64 // of the batch, the piece that is worked on next
	work  chan []piece // nil before the first batch
	done  chan struct{}
	busy  bool // the helper has the batch
	room  []piece
}

// A piece is one line of a batch.
type piece struct {
	line  []byte
	event bool
	seal  journal.Sealer
	ready atomic.Bool
}

// Next returns the next event as event.Reader.Next does, and its seal or nil.
func (f *feed) Next() ([]byte, *journal.Sealer, error) {
	if f.at == len(f.batch) {
		f.drop()
		f.look()
	}
	if f.at < len(f.batch) {
		if p := f.await(); p.event {
			line, err := f.r.Line()
			return line, &p.seal, err
		}
		f.drop() // of a line that is no event the Reader says why
	}
	line, err := f.r.Next()
	return line, nil, err
}

// look makes a batch of the whole lines that have been read, if they are enough
// for a second thread to pay.
func (f *feed) look() {
	rest := f.r.Buffered()
	if len(rest) < aheadMin || runtime.GOMAXPROCS(0) == 1 {
		return
	}
	if f.work == nil {
		f.room, f.work, f.done = make([]piece, aheadMax), make(chan []piece, 1), make(chan struct{}, 1)
		go f.help()
	}
	n := 0
	for ; n < aheadMax; n++ {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			break
		}
		f.room[n].line, rest = rest[:end], rest[end+1:]
		f.room[n].ready.Store(false)
	}
	if n > 1 {
		f.batch, f.busy = f.room[:n], true
		f.next.Store(0)
		f.work <- f.batch
	}
}

// await returns the piece that is to be given next. While the helper is at it,
// it works on later ones.
func (f *feed) await() *piece {
	p := &f.batch[f.at]
	f.at++
	for spin := 0; !p.ready.Load(); spin++ {
		if i := int(f.next.Add(1)) - 1; i < len(f.batch) {
			f.batch[i].prepare()
		} else if spin > 1000 {
			f.join()
		}
	}
	return p
}

// help works on batches.
func (f *feed) help() {
	for batch := range f.work {
		for {
			i := int(f.next.Add(1)) - 1
			if i >= len(batch) {
				break
			}
			batch[i].prepare()
		}
		f.done <- struct{}{}
	}
}

// prepare does what can be done before the line before is written.
func (p *piece) prepare() {
	if p.event = event.Valid(p.line); p.event {
		p.seal.Begin(p.line)
	}
	p.ready.Store(true)
}

// join waits for the helper to be done with the batch.
func (f *feed) join() {
	if f.busy {
		<-f.done
		f.busy = false
	}
}

// drop gives the batch up.
func (f *feed) drop() {
	f.next.Store(int64(len(f.batch)))
	f.join()
	f.batch, f.at = nil, 0
}

// close ends the helper.
func (f *feed) close() {
	f.drop()
	if f.work != nil {
		close(f.work)
	}
}
