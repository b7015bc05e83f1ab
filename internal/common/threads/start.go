package threads

import (
	"os/exec"
	"runtime"
)

// Start starts a program of the user's (exec.Cmd.Start), whose timers are not those of the
// stage that starts it (CoarseTimers).
func Start(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer DefaultTimers()()
	return cmd.Start()
}
