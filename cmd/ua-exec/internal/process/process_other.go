//go:build !linux

package process

import (
	"maps"
	"syscall"
)

// The kernel knows no subreaper and no parent-death signal here: a command that
// leaves its group by setsid is not ended with the run, nor are commands when
// ua-exec is killed with SIGKILL.

// Adopt does nothing.
func Adopt() {}

// sysAttr returns the attributes of a command: it leads a session of its own.
func sysAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// startThread runs do on any thread.
func startThread(do func()) { go do() }

// Childless returns false: it is not known here.
func Childless() bool { return false }

// Descendants returns the process groups of commands that still have processes.
func (t *Table) Descendants() (list []Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sessions := maps.Clone(t.sessions)
	for group := range t.leftovers {
		sessions[-group.PID] = true
	}
	for session := range sessions {
		if SignalGroup(session, 0) {
			list = append(list, Process{
				ID: ID{PID: -session}, Session: session,
				Name: "the command's process group", group: session, stopped: true,
			})
		}
	}
	return list
}

// PeakKB returns the peak memory of the largest of a command's processes.
func PeakKB(u *syscall.Rusage) int64 { return u.Maxrss / 1024 }

// CommandLine returns the process's name, since its command line is not known here.
func CommandLine(p Process) string { return p.Name }

// Under returns no processes: the kernel does not tell.
func Under() []Process { return nil }

// watchNewborn does nothing. Here no command has a Landlock domain in which it could
// signal one that has not begun.
func watchNewborn() (over func()) { return func() {} }
