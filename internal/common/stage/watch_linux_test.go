package stage

import (
	"fmt"
	"os"
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

// A family is killed with what it has started, and not who has its number by now.
func TestFamily(t *testing.T) {
	s, out := shell(t, "sh -c 'sleep 300 & echo $!; wait' & wait", func(c *Command) { c.Own = false })
	var deep int
	if _, err := fmt.Fscan(out, &deep); err != nil {
		t.Fatal(err)
	}
	f := FamilyOf(s.PID())
	if len(f) != 3 || f[2].pid != deep {
		t.Fatalf("%+v, want %d", f, deep)
	}
	other := Family{{f[2].pid, f[2].start + 1}, {f[2].pid, 0}}
	other.Kill()
	if p, _ := procfs.Read(deep); p.Ended() || p.Name == "" {
		t.Error("another process was killed")
	}
	f.Kill()
	until(t, "the end", func() bool { p, ok := procfs.Read(deep); return !ok || p.Ended() })
	if FamilyOf(0) != nil {
		t.Error("the family of no process")
	}
}

// What a stage left behind is ended, but for what stays.
func TestEndOrphans(t *testing.T) {
	Adopt()
	s, out := shell(t, "setsid sleep 300 & echo $!; sleep 300 & echo $!", nil)
	var gone, stays int
	if _, err := fmt.Fscan(out, &gone, &stays); err != nil {
		t.Fatal(err)
	}
	s.Wait(time.Minute)
	isOurs := func(pid int) bool { p, _ := procfs.Read(pid); return p.Parent == os.Getpid() }
	until(t, "the orphans", func() bool { return isOurs(gone) && isOurs(stays) })
	EndOrphans([]int{stays})
	if isOurs(gone) || !isOurs(stays) {
		t.Error("not what was asked for")
	}
	KillChildren(stays, nil)
	if p, _ := procfs.Read(stays); p.Ended() {
		t.Error("the one that was to live was killed")
	}
	KillChildren(0, []int{stays})
	EndOrphans(nil)
	if isOurs(stays) {
		t.Error("it has not ended")
	}
}
