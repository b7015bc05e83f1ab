package stage

import "syscall"

// A Watch looks for stages that a signal has stopped. They would hold up the run, and the
// limits that they enforce, for ever. A command could send SIGSTOP to the process that
// runs it.
type Watch struct{ seen map[int]bool }

// A Stopped is a stage that a signal has stopped.
type Stopped struct {
	*Stage
	pids []int // its stopped processes
}

// Stopped returns the first of the stages that it has found stopped twice in a row, or
// nil. A stage that is stopped only once may be about to continue together with this
// process, as after Ctrl-Z and fg.
func (w *Watch) Stopped(stages []*Stage) (which *Stopped) {
	now := map[int]bool{}
	for _, s := range stages {
		if s == nil || s.Ended() {
			continue
		}
		for _, pid := range stoppedUnder(s.proc.pid, s.command.Runs || s.command.Line) {
			now[pid] = true
			switch {
			case !w.seen[pid]:
			case which == nil:
				which = &Stopped{s, []int{pid}}
			case which.Stage == s:
				which.pids = append(which.pids, pid)
			}
		}
	}
	w.seen = now
	return which
}

// Kill ends the stage. SIGKILL works on a stopped process too (signal(7)).
func (s *Stopped) Kill() {
	s.Signal(syscall.SIGKILL)
	for _, pid := range s.pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}
