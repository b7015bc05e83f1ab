package process

import (
	"runtime"
	"sync"
	"time"
)

// SpareThreads is how many threads the runtime gets before it may need them. When
// commands have used up all processes that they may have, none can be made any more,
// and the runtime ends the program that needs one.
const SpareThreads = 12

// spareAfter is how long a command may run before the threads are made. Most commands
// have ended by then, and making the threads takes longer than starting one. Where
// thousands of processes are allowed, the kernel can't make them in that time.
const (
	spareAfter = 10 * time.Millisecond
	manyPids   = 2000
)

// A Reserve is the spare threads, once they have been made.
type Reserve struct{ once sync.Once }

// Fill makes the threads now.
func (r *Reserve) Fill() { r.once.Do(makeThreads) }

// Begin returns a function to call when a command that begins now has ended. If it
// runs on, or leaves a process that does, the threads are made.
func (r *Reserve) Begin() (ended func()) {
	soon := time.AfterFunc(spareAfter, r.Fill)
	return func() {
		if childless() {
			soon.Stop()
		}
	}
}

// makeThreads has the runtime make threads, which it keeps.
func makeThreads() {
	var made, over sync.WaitGroup
	made.Add(SpareThreads)
	over.Add(1)
	for range SpareThreads {
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
