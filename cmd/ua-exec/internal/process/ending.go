package process

import (
	"slices"
	"syscall"
)

// orderly returns the names of the programs that end what they have started: ua ends its
// stages in order and then writes the last line of its journal, and the others pass
// SIGTERM on.
func orderly() []string { return []string{"ua", "ua-sandbox", "ua-try"} }

// An Ending asks processes to end by SIGTERM, each of them once. What is below an orderly
// program is left to it. A second signal would make a ua hurry, and one to its stages could
// cut off the end of its journal.
type Ending struct {
	Group int // a process group that has been asked already
	begun bool
	later map[ID]bool // what is below an orderly program
}

// Ask asks the processes of the list that were there when it was first called, as soon as
// they are below no orderly program. Those that begin later may be what another one needs
// for its end. Ask reports whether there are any processes.
func (e *Ending) Ask(list []Process) bool {
	byPID := map[int]Process{}
	for _, p := range list {
		byPID[p.PID] = p
	}
	var now []Process
	for _, p := range list {
		switch {
		case e.begun && !e.later[p.ID] || e.Group != 0 && p.group == e.Group:
		case left(p, byPID):
			if e.later == nil {
				e.later = map[ID]bool{}
			}
			e.later[p.ID] = true
		default:
			delete(e.later, p.ID)
			now = append(now, p)
		}
	}
	e.begun = true
	signalAll(now, syscall.SIGTERM)
	return len(list) > 0
}

// left reports whether p is left to one of the processes: an orderly program above it. The
// loop is limited, because processes change while /proc is read.
func left(p Process, byPID map[int]Process) bool {
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
