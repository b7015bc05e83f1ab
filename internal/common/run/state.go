package run

import (
	"syscall"

	"ua/internal/common/prog"
)

// The states of a run.
const (
	Accepted  = "accepted"  // its folder is there, the model has not been asked
	Running   = "running"   // a process drives it
	Completed = "completed" // its last line says status 0
	Failed    = "failed"    // it says another one, or there is none: the run was killed
	Timeout   = "timeout"   // a time, turn or budget limit ended it
	Cancelled = "cancelled" // a signal or a person ended it
)

// EndState returns the state of a run that has ended with an exit status.
func EndState(status int) string {
	switch status {
	case 0:
		return Completed
	case prog.Limit:
		return Timeout
	case 128 + int(syscall.SIGINT), 128 + int(syscall.SIGTERM), 128 + int(syscall.SIGHUP),
		128 + int(syscall.SIGQUIT):
		return Cancelled
	}
	return Failed
}
