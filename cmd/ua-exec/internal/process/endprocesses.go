package process

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// EndAll ends all processes that list returns: with SIGTERM, and with SIGKILL when ctx has
// ended. list is asked again because processes may fork meanwhile.
func EndAll(ctx context.Context, list func() []Process) {
	for e := (Ending{}); e.Ask(list()) && ctx.Err() == nil; {
		time.Sleep(5 * time.Millisecond)
	}
	KillAll(list)
}

// KillAll kills all processes that list returns until none is left. Processes that fork
// faster than they are found are stopped first: a stopped process cannot fork.
func KillAll(list func() []Process) {
	for range 1000 {
		left := list()
		if len(left) == 0 {
			return
		}
		awake := slices.DeleteFunc(slices.Clone(left), func(p Process) bool { return p.stopped })
		if len(awake) == 0 {
			signalAll(left, syscall.SIGKILL)
			time.Sleep(time.Millisecond)
			continue
		}
		for _, p := range awake {
			syscall.Kill(p.PID, syscall.SIGSTOP)
		}
	}
	signalAll(list(), syscall.SIGKILL)
}

// signalAll sends a signal to processes. Stopped ones are continued, since a stopped
// process handles no signal but SIGKILL.
func signalAll(list []Process, sig syscall.Signal) {
	for _, p := range list {
		syscall.Kill(p.PID, sig)
		if sig != syscall.SIGKILL {
			syscall.Kill(p.PID, syscall.SIGCONT)
		}
	}
}

// SignalGroup sends a signal to all processes of a command's group, including stopped
// ones, and reports whether there was one. Signal 0 only asks (kill(2)).
func SignalGroup(pid int, sig syscall.Signal) bool {
	err := syscall.Kill(-pid, sig)
	if err == nil && sig != 0 {
		syscall.Kill(-pid, syscall.SIGCONT)
	}
	return err != syscall.ESRCH
}
