package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// newbornMax is how long a program may take from fork to exec before it is checked
// whether something has stopped it there.
const newbornMax = 200 * time.Millisecond

// watchNewborn watches over a fork until the function that it returns is called. A
// running command may signal what the same thread starts, and can stop a child before its
// exec. That also stops the thread here, which the kernel continues only at the exec
// (CLONE_VFORK, clone(2)). The runtime does not get that thread's processor back
// meanwhile. So there must be another one, and nothing may begin that waits for all
// threads: no garbage collection and no change of their number.
func watchNewborn() (over func()) {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2)) // the runtime leaves a number that was set
	percent := debug.SetGCPercent(-1)
	var end runtime.MemStats
	runtime.ReadMemStats(&end) // waits for what a collection does after its end
	born := make(chan struct{})
	go func() {
		look := time.NewTicker(newbornMax)
		defer look.Stop()
		for {
			select {
			case <-born:
				return
			case <-look.C:
				endNewborn()
			}
		}
	}()
	return func() {
		close(born)
		debug.SetGCPercent(percent)
	}
}

// endNewborn kills children that are stopped and still have this process's own command
// line, which means before their exec. To continue them would not help, as they could be
// stopped again every time.
func endNewborn() {
	own := CommandLine(Process{ID: ID{PID: os.Getpid()}})
	for _, p := range Under() {
		if p.stopped && p.Top == p.PID && CommandLine(p) == own {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
		}
	}
}
