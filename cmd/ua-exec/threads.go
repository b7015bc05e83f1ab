package main

import (
	"runtime"
	"sync"
)

// spareThreads is how many threads the runtime gets at the start. When commands
// have used up all processes that they may have, none can be made any more, and
// the runtime ends the program that needs one.
const spareThreads = 12

// spareSomeThreads has the runtime make threads, which it keeps.
func spareSomeThreads() {
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
