package confine

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Thread runs do on a thread of its own, which ends with it and is not the first one of
// the process. If a process signals a group, or all by -1, Landlock looks only at the
// domain of the first thread of each process. With a command's domain on that thread, the
// command could stop the whole process.
func Thread(do func()) { threadBut(os.Getpid(), do) }

// threadBut is Thread, with the number of the thread that may not be used.
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
