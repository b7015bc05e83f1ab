package process

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// orderly returns the names of the programs that end what they have started: ua ends its
// stages in order and then writes the last line of its journal, and the others pass
// SIGTERM on. A process chooses its name itself. By one of these it gets no more than the
// time that every program takes which ignores SIGTERM.
func orderly() []string { return []string{"ua", "ua-sandbox", "ua-try"} }

// An Ending asks processes to end by SIGTERM, each of them once. What is below an orderly
// program is left to it. A second signal would make a ua hurry, and one to its stages could
// cut off the end of its journal.
type Ending struct {
	Group int // a process group that has been asked already
	begun bool
	asked map[ID]bool // false for what is left to an orderly program
}

// Ask asks the processes of the list that were there when it was first called, as soon as
// they are below no orderly program. It reports whether any of these are left. Those that
// begin later may be what another one needs for its end, and nobody waits for them: with
// what forks on and on there is no waiting.
func (e *Ending) Ask(list []Process) (left bool) {
	if !e.begun {
		e.begun, e.asked = true, map[ID]bool{}
		for _, p := range list {
			if e.Group == 0 || p.group != e.Group {
				e.asked[p.ID] = false
			}
		}
	}
	byPID := map[int]Process{}
	for _, p := range list {
		byPID[p.PID] = p
	}
	var now []Process
	for _, p := range list {
		asked, ours := e.asked[p.ID]
		if left = left || ours; ours && !asked && !leftTo(p, byPID) {
			e.asked[p.ID] = true
			now = append(now, p)
		}
	}
	signalAll(now, syscall.SIGTERM)
	return left
}

// leftTo reports whether p is left to one of the processes: an orderly program above it.
// The loop is limited, because processes change while /proc is read.
func leftTo(p Process, byPID map[int]Process) bool {
	for range len(byPID) {
		above, ok := byPID[p.parent]
		if !ok {
			return false
		}
		if slices.Contains(orderly(), above.Name) {
			return true
		}
		p = above
	}
	return false
}

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
