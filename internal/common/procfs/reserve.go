package procfs

import (
	"runtime"
	"sync"
	"time"
)

// spare is how many threads the runtime gets before it needs them.
const spare = 12

// manyPids is a number of processes that cannot be made within a moment.
const manyPids = 2000

// A Reserve makes the spare threads, once. They keep a program alive when others have used up
// all processes that it may have: Go's runtime ends a program that needs a thread and gets none.
type Reserve struct{ look, once sync.Once }

// Fill makes the threads now.
func (r *Reserve) Fill() { r.once.Do(makeThreads) }

// FillSoon makes the threads when a command has run for a moment, unless the timer is stopped.
// Most commands have ended by then, and making the threads takes longer than starting
// one. If thousands of processes are allowed, nobody can make that many within some
// milliseconds; if few are, the threads are made before it returns.
func (r *Reserve) FillSoon() *time.Timer {
	r.look.Do(func() {
		if FewPids() {
			r.Fill()
		}
	})
	return time.AfterFunc(moment, r.Fill)
}

// moment is how long a command runs before the spare threads are made.
const moment = 20 * time.Millisecond

// makeThreads has the runtime make threads, which it then keeps.
func makeThreads() {
	var made, over sync.WaitGroup
	made.Add(spare)
	over.Add(1)
	for range spare {
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
