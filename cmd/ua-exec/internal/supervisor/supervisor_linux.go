// Package supervisor keeps a process above the ua-exec that does the work. It ends what
// that one leaves when it is killed, and keeps its terminal from commands.
package supervisor

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-exec/internal/landsocket"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// supervisedBy is the variable that names, to the ua-exec that does the work, the process
// that supervises it.
const supervisedBy = "UA_EXEC_SUPERVISOR"

// Needed reports whether commands could outlive a ua-exec that is killed by SIGKILL, or
// reach its terminal. In a sandbox of tier 4 they cannot outlive it: the PID namespace that
// they share ends with it. No command gets the variable.
func Needed() bool {
	by := os.Getenv(supervisedBy)
	os.Unsetenv(supervisedBy)
	return by != strconv.Itoa(os.Getppid()) && (os.Getenv(run.EnvSandbox) != "4" || hasTerminal())
}

// Run runs this program a second time to do the work, passes the signals on to it, and waits
// for its end. If the worker is killed, what it leaves becomes the supervisor's, which kills
// it. If the supervisor is killed, the worker gets SIGTERM, by the death signal of the thread
// that this function stays on.
func Run(env *prog.Env, signals ...os.Signal) error {
	runtime.LockOSThread()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	process.Adopt()
	sigs := make(chan os.Signal, 4)
	prog.Notify(sigs, signals...)
	std, err := newTerminals([3]*os.File{env.Stdin, env.Stdout, os.Stderr})
	if err != nil {
		return err
	}
	files, fd := std.files, landsocket.FD()
	environ := os.Environ() // without this variable, of which a program would see the first
	if fd >= 0 {
		environ = append(environ, fmt.Sprintf("%s=%d", run.EnvLandFD, len(files)))
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
