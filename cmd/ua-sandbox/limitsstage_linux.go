package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
)

// startLimited starts the command through a process that sets the limits. Init cannot set
// them, because it needs its threads and the limits would bind it too. An error of that
// process comes through a pipe that the command does not have; its close-on-exec end
// means success.
func startLimited(pl *plan, argv []string, attr *syscall.ProcAttr) (int, error) {
	limits, err := json.Marshal(pl.Limits)
	if err != nil {
		return 0, err
	}
	var failed [2]int
	if err := unix.Pipe2(failed[:], unix.O_CLOEXEC); err != nil {
		return 0, err
	}
	defer unix.Close(failed[0])
	at := len(attr.Files)
	attr.Files = append(attr.Files, uintptr(failed[1]))
	pid, err := syscall.ForkExec("/proc/self/exe",
		append([]string{limitsName, strconv.Itoa(at), string(limits), pl.Path}, argv...), attr)
	unix.Close(failed[1])
	if err != nil {
		return 0, err
	}
	var number [8]byte
	for {
		n, err := unix.Read(failed[0], number[:])
		switch {
		case err == unix.EINTR:
		// The exec has closed the pipe.
		case n == 0:
			return pid, nil
		default:
			return 0, syscall.Errno(binary.LittleEndian.Uint64(number[:]))
		}
	}
}

// limitsStage sets the limits and becomes the command: FD LIMITS PATH ARGV.... If it
// cannot, it writes the number of the error to the descriptor.
func limitsStage(env *prog.Env) error {
	var limits policy.Limits
	if len(env.Args) < 4 {
		return usage("no command")
	}
	fd, err := strconv.Atoi(env.Args[0])
	if err != nil {
		return usage("%w", err)
	}
	unix.CloseOnExec(fd)
	if err = json.Unmarshal([]byte(env.Args[1]), &limits); err == nil {
		// From the limit on this process may get no memory, and the runtime ends one that gets
		// none: nothing of it may run beside this until the exec.
		debug.SetGCPercent(-1)
		runtime.GOMAXPROCS(1)
		err = layer.SetLimits(limits)
	}
	if err == nil {
		err = unix.Exec(env.Args[2], env.Args[3:], os.Environ())
	}
	number := unix.EINVAL
	errors.As(err, &number)
	_, _ = unix.Write(fd, binary.LittleEndian.AppendUint64(nil, uint64(number)))
	return prog.Exit(prog.NotConfined)
}

// inherited returns the descriptors for a child: the standard ones, and those in fds
// under their own numbers.
func inherited(standard [3]uintptr, fds []int) []uintptr {
	files := standard[:]
	for _, fd := range fds {
		for len(files) <= fd {
			files = append(files, ^uintptr(0))
		}
		files[fd] = uintptr(fd)
	}
	return files
}
