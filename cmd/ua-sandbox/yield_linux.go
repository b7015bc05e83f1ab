package main

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// yield has the proxy wait for its turn: a thread of SCHED_BATCH interrupts
// nobody when it wakes (sched(7)). The proxy is woken by each packet of the
// server and of the command, and one that cuts in moves a few pages at a time
// and takes the processor from both. What is forked later has it too, so init
// must stand before, as it does when it connects. A system that refuses costs
// speed only.
func yield() {
	priority := int32(0) // struct sched_param
	_, _, _ = syscall.AllThreadsSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, unix.SCHED_BATCH,
		uintptr(unsafe.Pointer(&priority)))
}
