package confine

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Thread runs do on a thread that is its own for good and ends with it, and that is not
// the first one of the process. Where Landlock asks whether one process may signal
// another by the number of its group, or by -1, it looks at the domain of that
// first thread alone: with the domain of a command on it, the command could stop
// the whole process.
func Thread(do func()) { threadBut(os.Getpid(), do) }

// threadBut is Thread, with the number of the thread that it must not be.
func threadBut(first int, do func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != first {
			do()
			return
		}
		// While this goroutine holds that thread, the next one gets another.
		pinned := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(pinned)
			do()
		}()
		<-pinned
		runtime.UnlockOSThread()
	}()
}
