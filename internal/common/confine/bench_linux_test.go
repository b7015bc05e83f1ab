package confine

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkFilter assembles and installs the filter, each time on a thread of
// its own that ends with it.
func BenchmarkFilter(b *testing.B) {
	for b.Loop() {
		done := make(chan error)
		go func() {
			runtime.LockOSThread()
			err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
			if err == nil {
				err = Filter{Surface: true}.Install()
			}
			done <- err
		}()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkThread(b *testing.B) {
	for b.Loop() {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			done <- true
		}()
		<-done
	}
}

func BenchmarkProgram(b *testing.B) {
	for b.Loop() {
		if _, err := (Filter{Surface: true}).Program(); err != nil {
			b.Fatal(err)
		}
	}
}
