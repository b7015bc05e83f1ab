package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// newbornMax is how long a program may take from its fork to its exec before a look is
// taken whether it has been stopped there.
const newbornMax = 200 * time.Millisecond

// watchNewborn watches a fork, until the function that it returns is called. A command
// that runs may signal what the same thread starts, and stop a child before its
// exec; and with it the thread, which the kernel lets go on with the exec alone
// (CLONE_VFORK, clone(2)). The runtime does not get that thread's processor back
// meanwhile, so another one has to be there, and nothing may begin that waits for all
// of them: no collection, and no change of their number.
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

// endNewborn kills children that are stopped and still bear this process's own command
// line: whoever stopped one could do so again as often as it is continued.
func endNewborn() {
	own := CommandLine(Process{ID: ID{PID: os.Getpid()}})
	for _, p := range Under() {
		if p.stopped && p.Top == p.PID && CommandLine(p) == own {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
		}
	}
}
