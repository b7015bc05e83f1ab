package main

import (
	"runtime"
	"sync"
	"time"
)

// spareThreads is how many threads the runtime gets before it may need them. When
// commands have used up all processes that they may have, none can be made any more,
// and the runtime ends the program that needs one.
const spareThreads = 12

// spareAfter is how long a command may run before the threads are made. Most commands
// have ended by then, and making the threads takes longer than starting one. Where
// thousands of processes are allowed, the kernel can't make them in that time.
const (
	spareAfter = 10 * time.Millisecond
	manyPids   = 2000
)

// A reserve is the spare threads, once they have been made.
type reserve struct{ once sync.Once }

// fill makes the threads now.
func (r *reserve) fill() { r.once.Do(makeThreads) }

// begin returns a function to call when a command that begins now has ended. If it
// runs on, or leaves a process that does, the threads are made.
func (r *reserve) begin() (ended func()) {
	soon := time.AfterFunc(spareAfter, r.fill)
	return func() {
		if childless() {
			soon.Stop()
		}
	}
}

// makeThreads has the runtime make threads, which it keeps.
func makeThreads() {
	var made, over sync.WaitGroup
	made.Add(spareThreads)
	over.Add(1)
	for range spareThreads {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			made.Done()
			over.Wait()
		}()
	}
	made.Wait()
	over.Done()
}
