package process

import (
	"slices"
	"syscall"
	"time"
)

// EndAll ends every process that list tells of: TERM, then KILL once the grace
// is over.
func EndAll(list func() []Process, grace time.Duration) {
	if Childless() {
		return
	}
	over := time.Now().Add(grace)
	signalAll(list(), syscall.SIGTERM)
	for time.Now().Before(over) {
		if len(list()) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	KillAll(list)
}

// KillAll kills every process that list tells of, until none is left. What forks
// faster than it is found is stopped first: a stopped process makes no other.
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

// signalAll sends a signal to processes, stopped ones included.
func signalAll(list []Process, sig syscall.Signal) {
	for _, p := range list {
		syscall.Kill(p.PID, sig)
		if sig != syscall.SIGKILL {
			syscall.Kill(p.PID, syscall.SIGCONT)
		}
	}
}

// SignalGroup sends a signal to every process of the command's group, stopped
// ones included, and says whether there was one.
func SignalGroup(pid int, sig syscall.Signal) bool {
	err := syscall.Kill(-pid, sig)
	if err == nil && sig != 0 {
		syscall.Kill(-pid, syscall.SIGCONT)
	}
	return err != syscall.ESRCH
}
