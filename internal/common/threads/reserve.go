// Package threads keeps a program alive where others have used up all processes that it
// may have: the Go runtime ends a program that needs a thread and gets none.
package threads

import (
	"runtime"
	"sync"
	"time"
)

// Spare is how many threads the runtime gets before it may need them.
const Spare = 12

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

// FillSoon makes them a moment from now, unless the timer is stopped.
func (r *Reserve) FillSoon() *time.Timer { return time.AfterFunc(spareAfter, r.Fill) }

// makeThreads has the runtime make threads, which it keeps.
func makeThreads() {
	var made, over sync.WaitGroup
	made.Add(Spare)
	over.Add(1)
	for range Spare {
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
