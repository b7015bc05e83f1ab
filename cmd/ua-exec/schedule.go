package main

import (
	"sync"

	"ua/internal/common/verdict"
)

// submit has the call run once its turn has come.
func (x *executor) submit(c *call, joined judgement) *queuedCall {
	j := newQueuedCall(c, joined)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		j.finish(answer(c, "refused", interrupted))
		return j
	}
	x.waiting = append(x.waiting, j)
	x.change.Signal()
	return j
}

// schedule starts the calls in their order: a read_only one beside others of its
// kind while there is a slot, any other alone.
func (x *executor) schedule() {
	defer close(x.ended)
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, x.opts.jobs)
	reading := false // what runs now only reads
	for j := x.next(); j != nil; j = x.next() {
		reads := j.call.risk == verdict.ReadOnly
		if !reads || !reading {
			running.Wait()
		}
		reading = reads
		slots <- struct{}{}
		running.Add(1)
		go func() {
			defer func() { <-slots; running.Done() }()
			j.finish(x.run(j))
		}()
	}
}

// next waits for a call and takes it; nil when there will be none.
func (x *executor) next() *queuedCall {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.waiting) == 0 {
		if x.closed {
			return nil
		}
		x.change.Wait()
	}
	j := x.waiting[0]
	x.waiting[0] = nil
	x.waiting = x.waiting[1:]
	return j
}
