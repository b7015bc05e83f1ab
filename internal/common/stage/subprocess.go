package stage

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// A subprocess is a program that was started and is waited for.
type subprocess struct {
	pid    int
	handle int                // pidfd_open(2); -1 where there is none
	status syscall.WaitStatus // once it has ended
}

// startProcess starts the program with the files as its descriptors from 0 on. Package os
// would first start a process to find out whether the kernel supports pidfd_open(2), and
// would then keep a thread waiting for each program.
//
// Our own programs wait for their input with Go's network poller: one that waited in
// read(2) would keep the one processor that it has from its other goroutines until the
// runtime takes it away. A program of the user's expects to block.
func (c Command) startProcess(files []*os.File, attr *syscall.SysProcAttr) (*subprocess, error) {
	p := &subprocess{handle: -1}
	withHandle(attr, &p.handle)
	env := (&exec.Cmd{Env: c.Env}).Environ() // of two values of a variable the last one holds
	fds := make([]uintptr, len(files))
	for i, f := range files {
		if i < 2 && !c.Line {
			fds[i] = descriptor(f)
		} else {
			fds[i] = f.Fd()
		}
	}
	pid, _, err := syscall.StartProcess(c.Argv[0], c.Argv, &syscall.ProcAttr{Dir: c.Dir, Env: env,
		Files: fds, Sys: attr})
	runtime.KeepAlive(files)
	if err != nil {
		return nil, &os.PathError{Op: "fork/exec", Path: c.Argv[0], Err: err}
	}
	p.pid = pid
	return p, nil
}

// descriptor returns the number of an open file, which Fd would make blocking. A closed
// file has none.
func descriptor(f *os.File) uintptr {
	fd := ^uintptr(0)
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(n uintptr) { fd = n })
	}
	return fd
}

// wait waits until the process has ended.
func (p *subprocess) wait() {
	if p.handle < 0 || !p.waitHandle() {
		p.reap(0)
	}
}

// waitHandle waits with Go's network poller, which needs no thread, and reports whether
// that was possible. A PID file descriptor becomes readable when its process ends
// (pidfd_open(2)).
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

// reap collects the status of the process (wait4(2)) and reports whether it has ended.
func (p *subprocess) reap(options int) bool {
	for {
		pid, err := syscall.Wait4(p.pid, &p.status, options, nil)
		if err != syscall.EINTR {
			return pid == p.pid || err != nil
		}
	}
}
