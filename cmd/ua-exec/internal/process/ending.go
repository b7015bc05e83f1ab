package process

import (
	"slices"
	"syscall"
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
