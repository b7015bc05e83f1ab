// Package threads keeps a program alive when others have used up all processes that it may
// have: Go's runtime ends a program that needs a thread and gets none.
package threads

import (
	"runtime"
	"sync"
	"time"
)

// Spare is how many threads the runtime gets before it needs them.
const Spare = 12

// manyPids is a number of processes that cannot be made within a moment.
const manyPids = 2000

// A Reserve makes the spare threads, once.
type Reserve struct{ once sync.Once }

// Fill makes the threads now.
func (r *Reserve) Fill() { r.once.Do(makeThreads) }

// FillAfter makes the threads when a command has run for d, unless the timer is stopped.
// Most commands have ended by then, and making the threads takes longer than starting
// one. If thousands of processes are allowed, nobody can make that many within some
// milliseconds.
func (r *Reserve) FillAfter(d time.Duration) *time.Timer { return time.AfterFunc(d, r.Fill) }

// growth is a number of threads that many commands side by side do not need.
const growth = 200

// FillByGrowth makes the threads once the system has more threads by growth than at the
// least so far, at which it looks every d, and in any case after most. A program of some
// hundred milliseconds needs no spare ones.
func (r *Reserve) FillByGrowth(d, most time.Duration) {
	go func() {
		end, least := time.Now().Add(most), running()
		for n := least; n-least < growth && time.Now().Before(end); n = running() {
			least = min(least, n)
			time.Sleep(d)
		}
		r.Fill()
	}()
}

// makeThreads has the runtime make threads, which it then keeps.
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
