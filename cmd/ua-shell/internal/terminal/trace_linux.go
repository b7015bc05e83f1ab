package terminal

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowTrace lets a process trace us where only our ancestors may (Yama's
// ptrace_scope 1, Documentation/admin-guide/LSM/Yama.rst).
func allowTrace(pid int) { unix.Prctl(unix.PR_SET_PTRACER, uintptr(pid), 0, 0, 0) }

// trace traces the process for as long as we live, so that its parent learns of its end
// only at ours. The process's signals are passed on, and it stops and continues as it
// would without us. Where the system does not allow tracing, nothing is done.
func trace(pid int) {
	seized := make(chan struct{})
	go func() {
		runtime.LockOSThread() // a tracer is a thread, and its end is that of the tracing
		err := unix.PtraceSeize(pid)
		close(seized)
		for err == nil {
			err = passSignal(pid)
		}
		select {}
	}()
	<-seized
}

// stopped is the siginfo_t that waitid(2) fills in for a stopped process.
type stopped struct {
	number, errno, code int32
	_                   [0]uintptr
	pid                 int32
	uid                 uint32
	status              int32
	_                   [112]byte
}

// passSignal waits until the process stops and has it continue with the signal that
// stopped it. A stop of the whole process lasts. The end of the process is left to its
// parent.
func passSignal(pid int) error {
	var info stopped
	for {
		err := unix.Waitid(unix.P_PID, pid, (*unix.Siginfo)(unsafe.Pointer(&info)),
			unix.WSTOPPED|unix.WALL, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return err
		}
	}
	signal, event := info.status&0x7f, info.status>>8
	request := uintptr(unix.PTRACE_CONT)
	if event == unix.PTRACE_EVENT_STOP {
		if signal != int32(unix.SIGTRAP) { // of the whole process
			request = unix.PTRACE_LISTEN
		}
		signal = 0
	}
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, request, uintptr(pid), 0, uintptr(signal), 0, 0)
	if e != 0 && e != unix.ESRCH { // it has been killed meanwhile
		return e
	}
	return nil
}
