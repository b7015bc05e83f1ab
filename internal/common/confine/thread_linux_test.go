package confine

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestThread starts from the very thread that is not to be had: with one processor the
// scheduler gives it to the next goroutine, and a plain one gets it.
func TestThread(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	plain := func(_ int, do func()) {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			do()
		}()
	}
	same := func(start func(int, func())) bool {
		here, at := unix.Gettid(), make(chan int)
		start(here, func() { at <- unix.Gettid() })
		return <-at == here
	}
	landed := 0
	for range 200 {
		if same(plain) {
			landed++
		}
		if same(threadBut) {
			t.Fatal("on the thread that it must not be")
		}
	}
	if landed == 0 {
		t.Error("no plain goroutine was on that thread, so this says nothing")
	}
}
