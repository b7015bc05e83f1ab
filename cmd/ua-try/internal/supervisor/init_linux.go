// Package supervisor is the first process in the view of a try, its init: it builds the view,
// starts the command and tells how that ended and what it did.
package supervisor

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/syscalls"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/tree"
)

// Name is argv[0] of the stage inside the view.
const Name = "ua-try: init"

// An Order tells init what to do.
type Order struct {
	View   overlay.View `json:"view"`
	Cwd    tree.Name    `json:"cwd"`
	Report int          `json:"report"` // descriptor
	Lock   int          `json:"lock"`   // descriptor: held while a process of the command lives
	Try    string       `json:"try"`
	Began  tree.Stamp   `json:"began"`
	Own    []string     `json:"own"` // folders in which writes are not told
}

// An initial is init at work: its order, and what it hears of the command.
type initial struct {
	Order
	network network
	written outside
	changed changed
}

// A Report is what init tells the parent: that a step failed, or how the command ended.
type Report struct {
	Step  string        `json:"step,omitempty"`
	Error string        `json:"error,omitempty"`
	Errno syscall.Errno `json:"errno,omitempty"`
	// the status that the failure stands for, but for a refusal
	Exit    int      `json:"exit,omitempty"`
	Ended   bool     `json:"ended,omitempty"`
	Status  int      `json:"status"` // wait status
	Running bool     `json:"running,omitempty"`
	Network []string `json:"network,omitempty"` // the first addresses that were spoken to
	Outside []string `json:"outside,omitempty"` // what was written outside of the covered folders
	// what the command changed and somebody else deleted
	Deleted []try.Place `json:"deleted,omitempty"`
}

// Err returns the failure that the report tells of, as a Refusal unless the command
// itself could not be started.
func (r Report) Err() error {
	var err error = errors.New(r.Error)
	if r.Errno != 0 {
		err = r.Errno
	}
	if r.Exit != 0 {
		if r.Exit == prog.NotFound {
			err = exec.ErrNotFound
		}
		return execwrap.StartError(r.Step, err)
	}
	return &overlay.Refusal{Step: r.Step, Err: err}
}

// Run is the first process in the view. It builds the view, starts the command, and
// lives until the command and all processes that it left behind have ended.
func Run(env *prog.Env) error {
	// ps(1) would call it exe, by the name of the link that started it.
	_ = os.WriteFile("/proc/self/comm", []byte("ua-try"), 0)
	// The filter and the capabilities that begin sets are those of one thread.
	runtime.LockOSThread()
	var o initial
	if len(env.Args) < 2 || json.Unmarshal([]byte(env.Args[0]), &o.Order) != nil {
		return prog.Errorf(prog.LoaderUsage, "no command")
	}
	unix.CloseOnExec(o.Report)
	unix.CloseOnExec(o.Lock)
	parent := os.Getppid()
	signals := execwrap.Catch()
	// Processes that the command leaves behind become children of this one, which waits
	// for them.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	fail := func(r Report, err error) error {
		var looked *exec.Error // names the command once more
		if errors.As(err, &looked) {
			err = looked.Err
		}
		r.Error = err.Error()
		errors.As(err, &r.Errno)
		o.tell(r)
		return prog.Exit(prog.NotConfined)
	}
	layers, err := o.View.Build()
	if err != nil {
		var refused *overlay.Refusal
		errors.As(err, &refused)
		return fail(Report{Step: refused.Step}, refused.Err)
	}
	if err := unix.Chdir(string(o.Cwd)); err != nil {
		return fail(Report{Step: string(o.Cwd)}, err)
	}
	path, err := exec.LookPath(env.Args[1])
	if err != nil {
		return fail(Report{Step: env.Args[1], Exit: execwrap.StartStatus(err)}, err)
	}
	// A variable for this try replaces those of an outer one.
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == run.EnvTry || name == run.EnvTryTitle
	})
	environ = append(environ, run.EnvTry+"="+o.Try)
	pid, err := o.begin(path, env.Args[1:], environ, layers)
	if err != nil {
		return fail(Report{Step: env.Args[1], Exit: execwrap.StartStatus(err)}, err)
	}
	go func() {
		for sig := range signals {
			if sig == unix.SIGTERM && os.Getppid() != parent {
				sig = unix.SIGKILL // ua-try was killed, and its command ends with it
			}
			// A signal of the terminal has reached the command already.
			if sig == unix.SIGKILL || !execwrap.FromTerminal(sig) {
				_ = unix.Kill(pid, sig.(syscall.Signal))
			}
		}
	}()
	o.wait(pid)
	return nil
}

// tell writes the report, once.
func (o *initial) tell(r Report) {
	text, err := json.Marshal(r)
	if err == nil {
		out := os.NewFile(uintptr(o.Report), "report")
		_, _ = out.Write(append(text, '\n')) // more than a pipe holds, in parts
		out.Close()
	}
}

// begin starts the command from this thread, after the thread has given up what the
// command must not have. It returns the command's process.
func (o *initial) begin(path string, argv, environ []string, layers []overlay.Open) (int, error) {
	// Without it the kernel says EXDEV to more moves.
	if listener, err := syscalls.Install(); err == nil {
		o.written = outside{own: append(o.Own, o.Try), began: o.Began, existed: map[string]bool{}}
		o.changed.layers = layers
		go syscalls.Serve(listener, layers, syscalls.Hearer{Spoken: o.network.add,
			Written: o.written.add, Changed: o.changed.add})
	}
	if o.View.User {
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0,
			0); err != nil {
			return 0, err
		}
		// exec(2) passes the inheritable ones to programs that ask for them.
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var data [2]unix.CapUserData
		if err := unix.Capget(&header, &data[0]); err != nil {
			return 0, err
		}
		data[0].Inheritable, data[1].Inheritable = 0, 0
		if err := unix.Capset(&header, &data[0]); err != nil {
			return 0, err
		}
	}
	return syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: environ, Files: []uintptr{0, 1, 2}})
}

// grace is how long the processes that a command left behind have to end before they
// count as running on.
const grace = 100 * time.Millisecond

// wait waits for the command, tells how it ended, and then waits for the processes that
// it left behind.
func (o *initial) wait(command int) {
	ended, gone := make(chan unix.WaitStatus, 1), make(chan bool)
	go func() {
		for {
			var status unix.WaitStatus
			pid, err := unix.Wait4(-1, &status, 0, nil)
			switch {
			case err == unix.EINTR:
			case err != nil:
				close(gone)
				return
			// Any other is a process that the command has left behind.
			case pid == command && !status.Stopped():
				ended <- status
			}
		}
	}()
	r := Report{Ended: true, Status: int(<-ended)}
	select {
	case <-gone:
		unix.Close(o.Lock)
	case <-time.After(grace):
		r.Running = true
	}
	r.Outside, r.Deleted = o.written.list(), o.changed.deleted()
	r.Network = o.network.list()
	o.tell(r)
	if r.Running {
		closeStandardFiles()
		<-gone
	}
}

// closeStandardFiles closes the caller's standard files in this process. A reader waits until
// all who have the other end have closed it, and this process only waits.
func closeStandardFiles() {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		_ = unix.Dup3(null, fd, 0)
	}
	unix.Close(null)
}
