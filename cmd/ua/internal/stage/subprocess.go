package stage

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// A subprocess is a program that we have started and wait for.
type subprocess struct {
	pid    int
	handle int                // pidfd_open(2); -1 where there is none
	status syscall.WaitStatus // once it has ended
}

// startProcess starts a program with the files as its descriptors from 0 on. Package
// os would first try out, by a process of its own, whether the kernel has handles of
// processes, and then have a thread wait for each.
func startProcess(
	argv, env []string, files []*os.File, attr *syscall.SysProcAttr,
) (*subprocess, error) {
	p := &subprocess{handle: -1}
	withHandle(attr, &p.handle)
	env = (&exec.Cmd{Env: env}).Environ() // of two values of a variable the last one holds
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	pid, _, err := syscall.StartProcess(argv[0], argv, &syscall.ProcAttr{Env: env, Files: fds,
		Sys: attr})
	runtime.KeepAlive(files)
	if err != nil {
		return nil, &os.PathError{Op: "fork/exec", Path: argv[0], Err: err}
	}
	p.pid = pid
	return p, nil
}

// wait waits for the process's end.
func (p *subprocess) wait() {
	if p.handle < 0 || !p.waitHandle() {
		p.reap(0)
	}
}

// waitHandle has Go's poller wait for the process's end, which takes no thread, and
// reports whether it could.
func (p *subprocess) waitHandle() bool {
	if syscall.SetNonblock(p.handle, true) != nil {
		syscall.Close(p.handle)
		return false
	}
	f := os.NewFile(uintptr(p.handle), "process")
	defer f.Close()
	conn, err := f.SyscallConn()
	return err == nil && conn.Read(func(uintptr) bool { return p.reap(syscall.WNOHANG) }) == nil
}

// reap takes up how the process has ended, and reports whether it has.
func (p *subprocess) reap(options int) bool {
	for {
		pid, err := syscall.Wait4(p.pid, &p.status, options, nil)
		if err != syscall.EINTR {
			return pid == p.pid || err != nil
		}
	}
}
