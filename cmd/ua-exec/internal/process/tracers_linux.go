package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"ua/internal/common/procfs"
)

// EndTracers kills what traces a child of this process that has ended. Until its tracer
// has looked at that, which it may never do, the child can't be reaped (ptrace(2)). Only
// processes below this one are killed: a debugger of the user's goes on.
func EndTracers(pid int) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, _ := os.ReadDir(dir)
	tracers := map[int]bool{}
	for _, t := range threads {
		status, err := os.ReadFile(dir + t.Name() + "/status")
		switch state := field(status, "State:"); {
		case err != nil: // it has just been reaped
		case !bytes.HasPrefix(state, []byte("Z")) && !bytes.HasPrefix(state, []byte("X")):
			return
		default:
			tracers[processOf(field(status, "TracerPid:"))] = true
		}
	}
	delete(tracers, 0)
	if len(tracers) == 0 || !procfs.Own() {
		return
	}
	for _, p := range Under() {
		if tracers[p.PID] {
			syscall.Kill(p.PID, syscall.SIGKILL)
		}
	}
}

// processOf returns the process of a thread, 0 if there is none.
func processOf(thread []byte) (pid int) {
	if status, err := os.ReadFile("/proc/" + string(thread) + "/status"); err == nil {
		pid, _ = strconv.Atoi(string(field(status, "Tgid:")))
	}
	return pid
}

// field returns a line of a status file (proc_pid_status(5)) without its name.
func field(status []byte, name string) []byte {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return bytes.TrimSpace(line)
}
