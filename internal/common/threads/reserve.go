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

// manyPids is how many processes are not made within a moment.
const manyPids = 2000

// A Reserve is the spare threads, once they have been made.
type Reserve struct{ once sync.Once }

// Fill makes the threads now.
func (r *Reserve) Fill() { r.once.Do(makeThreads) }

// FillAfter makes them once a command has run that long, unless the timer is stopped.
// Most commands have ended by then, and making the threads takes longer than starting
// one. Where thousands of processes are allowed, the kernel can't make them in some
// milliseconds.
func (r *Reserve) FillAfter(d time.Duration) *time.Timer { return time.AfterFunc(d, r.Fill) }

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
