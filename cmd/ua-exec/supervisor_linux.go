package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"
	agent "ua/internal/common/run"
	"ua/internal/common/style"
)

// supervisedBy is the variable that names, to the ua-exec that does the work, the process
// that supervises it.
const supervisedBy = "UA_EXEC_SUPERVISOR"

// needsSupervisor reports whether commands could outlive a ua-exec that is killed by
// SIGKILL, or reach its terminal. In a sandbox of tier 4 they cannot outlive it: the PID
// namespace that they share ends with it.
func needsSupervisor() bool {
	if os.Getenv(supervisedBy) == strconv.Itoa(os.Getppid()) {
		return false
	}
	return os.Getenv(agent.EnvSandbox) != "4" || hasTerminal()
}

// supervise runs this program a second time to do the work and waits for its end. If the
// worker is killed, what it leaves becomes the supervisor's, which kills it. If the
// supervisor is killed, the worker gets SIGTERM, by the death signal of the thread that
// this function stays on.
func supervise(env *prog.Env) error {
	runtime.LockOSThread()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	process.Adopt()
	sigs := make(chan os.Signal, 4)
	prog.Notify(sigs, endings()...)
	std, err := newTerminals([3]*os.File{env.Stdin, env.Stdout, os.Stderr})
	if err != nil {
		return err
	}
	// Of two values of a variable a program sees the first, which may be someone else's.
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, supervisedBy+"=") || strings.HasPrefix(kv, agent.EnvLandFD+"=")
	})
	files := std.files
	if fd := landFD(); fd >= 0 {
		environ = append(environ, fmt.Sprintf("%s=%d", agent.EnvLandFD, len(files)))
		files = append(files, uintptr(fd))
	}
	worker, err := syscall.ForkExec(exe, append([]string{os.Args[0]}, env.Args...),
		&syscall.ProcAttr{
			Env:   append(environ, supervisedBy+"="+strconv.Itoa(os.Getpid())),
			Files: files,
			Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM},
		})
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", exe, err)
	}
	std.started()
	if err := letGo(env, std); err != nil {
		return err
	}
	go func() {
		for sig := range sigs {
			syscall.Kill(worker, sig.(syscall.Signal))
		}
	}()
	status := await(worker)
	process.KillAll(process.Under)
	std.drain()
	return prog.Exit(status)
}

// letGo closes the supervisor's own stdin and stdout, so that their other ends notice
// when the worker closes its copies. Terminals stay open: the worker does not have them.
func letGo(env *prog.Env, std *terminals) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for _, f := range []*os.File{env.Stdin, env.Stdout} {
		if std.replaced(f) {
			continue
		}
		if err := unix.Dup3(int(null.Fd()), int(f.Fd()), 0); err != nil {
			return os.NewSyscallError("dup3", err)
		}
	}
	return nil
}

// await reaps children until the worker has ended, and returns the worker's exit status.
func await(worker int) int {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		if err == syscall.ECHILD {
			return prog.Trouble
		}
		if pid == worker {
			code, _ := process.Ended{Status: ws}.Code()
			return code
		}
	}
}

// A terminals holds the standard descriptors of the ua-exec that does the work. The
// worker gets no terminal, so that no command can get hold of one. Its supervisor reads
// and writes the terminal for it, and escapes what could control the terminal.
type terminals struct {
	files []uintptr
	ours  []*os.File // the worker's ends of pipes
	shown []<-chan struct{}
}

// hasTerminal reports whether a standard descriptor is a terminal.
func hasTerminal() bool { return isTerminal(0) || isTerminal(1) || isTerminal(2) }

// isTerminal reports whether fd is a terminal (isatty(3)).
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// newTerminals replaces each terminal in std by a pipe.
func newTerminals(std [3]*os.File) (*terminals, error) {
	t := &terminals{}
	for fd, file := range std {
		t.files = append(t.files, file.Fd())
		if !isTerminal(int(file.Fd())) {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if fd == 0 {
			t.give(fd, r)
			go func() {
				_, _ = io.Copy(w, file)
				w.Close()
			}()
			continue
		}
		t.give(fd, w)
		done := make(chan struct{})
		t.shown = append(t.shown, done)
		go func() {
			defer close(done)
			to := style.NewEscaper(file)
			if _, err := io.Copy(to, r); err == nil {
				_ = to.Flush()
			}
			r.Close() // when the terminal is gone the worker learns it
		}()
	}
	return t, nil
}

// give makes file the worker's descriptor fd.
func (t *terminals) give(fd int, file *os.File) {
	t.files[fd] = file.Fd()
	t.ours = append(t.ours, file)
}

// replaced reports whether the worker has a pipe in place of this file.
func (t *terminals) replaced(fd *os.File) bool { return t.files[fd.Fd()] != fd.Fd() }

// started closes the worker's ends once the worker has them.
func (t *terminals) started() {
	for _, file := range t.ours {
		file.Close()
	}
}

// drain waits up to a second until everything that the worker has printed is shown.
func (t *terminals) drain() {
	over := time.After(time.Second)
	for _, done := range t.shown {
		select {
		case <-done:
		case <-over:
			return
		}
	}
}
