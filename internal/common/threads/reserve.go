// Package threads lives with the threads of Go's runtime. It keeps a program alive when
// others have used up all processes that it may have: the runtime ends a program that needs
// a thread and gets none. And it says how late a thread that only looks for work may wake.
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

// FillByGrowth makes the threads once the system has more threads than now by growth, at
// which it looks every d, and in any case after most. What can be made between two looks is
// bounded as in FillAfter, and a program of some hundred milliseconds needs no spare ones.
func (r *Reserve) FillByGrowth(d, most time.Duration) {
	r.watch(running, d, time.Now().Add(most))
}

// growth is a number of threads that many commands side by side do not need.
const growth = 200

// watch is FillByGrowth with the time of the last look. count returns the number of
// threads, modulo 1<<16, and whether it is known.
func (r *Reserve) watch(count func() (uint16, bool), d time.Duration, last time.Time) {
	least, _ := count()
	var look func()
	look = func() {
		n, ok := count()
		more := int16(n - least)
		if !ok || more >= growth || !time.Now().Before(last) {
			r.Fill()
			return
		}
		if more < 0 { // other programs have ended
			least = n
		}
		time.AfterFunc(d, look)
	}
	time.AfterFunc(d, look)
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
