package ingest

import "sync"

// aheadMin is how many bytes must come at once for a second thread to pay.
const aheadMin = 16 << 10

// A flow brings a stream into a journal, batch by batch: the lines that came
// together. While one batch is written, the next one is read, checked and hashed
// on a second thread. A line that comes alone waits for nobody.
type flow struct {
	a       *Appender
	reading sync.Mutex // held by who reads
	src     source
	last    chan struct{} // closed once the batch that was read last is kept
	second  sync.Once
	end     chan error
}

// run brings the stream to its end.
func (f *flow) run() error {
	f.last, f.end = make(chan struct{}), make(chan error)
	close(f.last)
	go f.work()
	return f.a.end(<-f.end)
}

// work takes up batch after batch. At an error, and at the end, it keeps its
// turn for good: nothing that was read later is written.
func (f *flow) work() {
	var b batch
	for {
		f.reading.Lock()
		err := b.read(&f.src)
		before, done := f.last, make(chan struct{})
		f.last = done
		more := len(b.text) >= aheadMin
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
