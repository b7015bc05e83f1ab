package ingest

import (
	"io"
	"sync"
)

// aheadMin is how many bytes must arrive at once for a second thread to be worth it.
const aheadMin = 16 << 10

// A flow writes a stream to a journal, batch by batch. While one batch is written, the
// next is read, checked and hashed on a second thread. A line that arrives alone does not
// wait for another thread.
type flow struct {
	a       *Appender
	reading sync.Mutex // held by who reads
	src     source
	last    chan struct{} // closed once the batch that was read last is kept
	second  sync.Once
	end     chan error
}

// run writes the stream until its end.
func (f *flow) run() error {
	f.last, f.end = make(chan struct{}), make(chan error)
	close(f.last)
	go f.work()
	if err := <-f.end; err != io.EOF {
		return err
	}
	return nil
}

// work handles one batch after another. Batches are written in the order in which they
// were read: each waits for the one before. After an error, and at the end, the turn is
// kept for ever, so that nothing read later is written.
func (f *flow) work() {
	var b batch
	for {
		f.reading.Lock()
		err := b.read(&f.src)
		// Taken while the lock is held, so that the order of writing is that of reading.
		before, done := f.last, make(chan struct{})
		f.last = done
		more := len(b.text) >= aheadMin
		// The next batch may be read now, by the other thread, while this one is hashed.
		if more {
			f.reading.Unlock()
			f.second.Do(func() { go f.work() })
		}
		b.prepare(f.a)
		<-before
		if err == nil {
			err = f.a.fail(f.a.keep(f.a.replaceBroken(b.pieces)))
		}
		if err != nil {
			f.end <- err
			return
		}
		close(done)
		if !more {
			f.reading.Unlock()
		}
	}
}
