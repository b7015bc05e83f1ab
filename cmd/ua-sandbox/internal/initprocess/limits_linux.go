package initprocess

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/prog"
)

// limitsName is the name under which this binary runs as that process, in argv[0].
const limitsName = "ua-sandbox: limits"

// startLimited starts the command through a process that sets the limits. Init cannot set
// them, because it needs its threads and the limits would bind it too. An error of that
// process comes through a pipe that the command does not have; its close-on-exec end
// means success.
func startLimited(pl *plan.Plan, argv []string, attr *syscall.ProcAttr) (int, error) {
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
	var limits access.Limits
	if len(env.Args) < 4 {
		return prog.Errorf(prog.LoaderUsage, "no command")
	}
	fd, err := strconv.Atoi(env.Args[0])
	if err != nil {
		return prog.Errorf(prog.LoaderUsage, "%w", err)
	}
	unix.CloseOnExec(fd)
	if err = json.Unmarshal([]byte(env.Args[1]), &limits); err == nil {
		// From the limit on this process may get no memory, and the runtime ends one that gets
		// none: nothing of it may run beside this until the exec.
		debug.SetGCPercent(-1)
		runtime.GOMAXPROCS(1)
		err = ulimit.Lower(ulimit.Of(limits))
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

// oomScore is added to what the kernel counts of this process and all that it starts when
// memory runs out, in thousandths of the memory (proc_pid_oom_score_adj(5)): as much as
// programs of the user's would have to use before they are ended first.
const oomScore = 500

// killedFirst has the kernel end the command, and all that it starts, before programs
// outside when memory runs out: no limit of a process bounds what many use together. A
// higher score stays, and where it can't be set, there is none. It has to be done before
// this process can't be traced, since its files in /proc are root's then.
func killedFirst() {
	f, err := os.OpenFile("/proc/self/oom_score_adj", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	var text [16]byte
	n, _ := f.Read(text[:])
	now, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err == nil && now < oomScore {
		_, _ = f.WriteAt([]byte(strconv.Itoa(oomScore)), 0)
	}
}

// noCrashHandler keeps the crash handler away. A handler that the kernel starts, or asks,
// outside would read as root the memory of a command's process, and whatever the command
// has put there. The limit 1 tells the kernel not to call it (core(5), fs/coredump.c).
// Files with core dumps are not affected.
func noCrashHandler() {
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err == nil && len(pattern) > 0 && (pattern[0] == '|' || pattern[0] == '@') {
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	}
}
