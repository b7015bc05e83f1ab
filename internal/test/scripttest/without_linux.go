package scripttest

import (
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// RunWithout runs the command where the kernel refuses a system call, as the filter of a
// container does. The thread that starts it has the filter, too, and ends with it.
func RunWithout(cmd *exec.Cmd, call uint32) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		code := []unix.SockFilter{ // the number is what seccomp_data begins with (seccomp(2))
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		}
		program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
				uintptr(unsafe.Pointer(&program)), 0, 0)
		}
		if err == nil {
			err = cmd.Run()
		}
		done <- err
	}()
	return <-done
}
