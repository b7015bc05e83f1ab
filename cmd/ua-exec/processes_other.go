//go:build !linux

package main

import "syscall"

// The kernel knows no subreaper and no parent-death signal here: a command that
// leaves its group by setsid is not ended with the run, nor are commands when
// ua-exec is killed with SIGKILL.

func adopt() {}

func sysAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func startThread(do func()) { go do() }

func childless() bool { return false }

// descendants returns the groups of commands that still have processes.
func (x *executor) descendants() (list []process) {
	x.processes.mu.Lock()
	defer x.processes.mu.Unlock()
	for session := range x.processes.sessions {
		if signalGroup(session, 0) {
			list = append(list, process{
				id: processID{pid: -session}, session: session,
				name: "the command's process group", stopped: true,
			})
		}
	}
	return list
}

// peakKB returns the peak memory of the largest of a command's processes.
func peakKB(u *syscall.Rusage) int64 { return u.Maxrss / 1024 }

func commandLine(p process) string { return p.name }
