package stage

import (
	"syscall"
	"testing"
	"time"

	"ua/internal/common/procfs"
)

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within half a minute", what)
}

// A stage that stands still is found at the second look, and can be killed.
func TestWatch(t *testing.T) {
	moves, _ := shell(t, "sleep 300", nil)
	stands, _ := shell(t, "kill -STOP $$", nil)
	isStopped := func() bool { p, _ := procfs.Read(stands.PID()); return p.Stopped() }
	until(t, "the stop", isStopped)
	var w Watch
	list := []*Stage{nil, moves, stands}
	if w.Stopped(list) != nil {
		t.Error("found at the first look")
	}
	found := w.Stopped(list)
	if found == nil || found.Stage != stands {
		t.Fatalf("%+v", found)
	}
	found.Kill()
	if !stands.Wait(time.Minute) || w.Stopped(list) != nil {
		t.Error("it has not ended")
	}
}

// A stage that was continued between two looks goes on.
func TestWatchContinued(t *testing.T) {
	s, out := shell(t, "kill -STOP $$; echo; sleep 300", nil)
	until(t, "the stop", func() bool { p, _ := procfs.Read(s.PID()); return p.Stopped() })
	var w Watch
	w.Stopped([]*Stage{s})
	syscall.Kill(s.PID(), syscall.SIGCONT)
	if _, err := out.Read(make([]byte, 1)); err != nil || w.Stopped([]*Stage{s}) != nil {
		t.Errorf("%v: it was found though it runs", err)
	}
}
