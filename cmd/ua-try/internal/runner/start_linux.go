package runner

import (
	"encoding/json"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/supervisor"
	"ua/internal/common/execwrap"
)

// start starts init in new namespaces. It returns the pipe of init's report, and its
// process.
func (r *runner) start() (*os.File, int, error) {
	in, w, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	user := r.try.Xattrs == "user"
	v := overlay.View{AsIs: r.asis, Hidden: r.try.Dir, User: user}
	for i, c := range r.try.Covers {
		v.Layers = append(v.Layers, overlay.Layer{Path: string(c.Path), Upper: r.try.Upper(i),
			Work: r.try.Work(i)})
	}
	// All that the caller has opened passes; our own two take other numbers.
	report, lock, err := aside(w, r.lock)
	if err != nil {
		return nil, 0, err
	}
	plan, err := json.Marshal(supervisor.Order{View: v, Cwd: r.try.Cwd, Report: report, Lock: lock,
		Try: r.try.Dir, Began: r.try.Began, Own: r.own})
	if err != nil {
		return nil, 0, err
	}
	attr := &syscall.ProcAttr{Env: os.Environ(), Sys: namespaces(user), Files: []uintptr{0, 1, 2}}
	pid, err := syscall.ForkExec("/proc/self/exe",
		append([]string{supervisor.Name, string(plan)}, r.command...), attr)
	unix.Close(report)
	unix.Close(lock)
	if err != nil {
		return nil, 0, &overlay.Refusal{Step: "namespaces", Err: err}
	}
	return in, pid, nil
}

// aside duplicates the descriptors to numbers that stay open in a child.
func aside(files ...*os.File) (one, two int, err error) {
	var fds [2]int
	for i, f := range files {
		if fds[i], err = unix.FcntlInt(f.Fd(), unix.F_DUPFD, 3); err != nil {
			return 0, 0, err
		}
	}
	return fds[0], fds[1], nil
}

// namespaces returns the attributes with which init is started.
func namespaces(user bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Pdeathsig: unix.SIGTERM}
	if !user {
		return attr
	}
	uid, gid := os.Geteuid(), os.Getegid()
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	if uid != 0 {
		// exec(2) takes a user's capabilities unless they are ambient.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER,
			unix.CAP_SYS_PTRACE}
	}
	return attr
}

// inUserNamespace reports whether the view needs a user namespace. Only root with all its
// rights can do without one.
func inUserNamespace() bool {
	if os.Geteuid() != 0 {
		return true
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return true
	}
	if data[0].Effective&(1<<unix.CAP_SYS_ADMIN) == 0 {
		return true
	}
	return !execwrap.TrueRoot()
}
