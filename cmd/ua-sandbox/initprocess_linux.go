package main

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/verdict"
)

// An initProcess is an init that was started at a tier and waits for its plan.
type initProcess struct {
	tier int
	pid  int
	ctl  control
	err  error
}

// startInit starts init at a tier for the command. Init needs nothing of the policy
// except the profile, so the policy and the environment are worked out while init starts.
func startInit(o *options, files [3]uintptr, tier int, command []string) <-chan initProcess {
	started := make(chan initProcess, 1)
	go func() {
		b := initProcess{tier: tier}
		b.pid, b.ctl, b.err = forkInit(o, files, tier, command)
		started <- b
	}()
	return started
}

// forkInit starts init. Its end of the control socket gets the first number that no kept
// descriptor has.
func forkInit(
	o *options, standard [3]uintptr, tier int, command []string,
) (int, control, error) {
	mine, its, err := controls()
	if err != nil {
		return 0, -1, err
	}
	defer unix.Close(int(its))
	files, at := inherited(standard, o.fds), 3
	// The first number from 3 on that the command does not keep.
	for at < len(files) && files[at] != ^uintptr(0) {
		at++
	}
	if at == len(files) {
		files = append(files, 0)
	}
	files[at] = uintptr(its)
	attr := &syscall.ProcAttr{Files: files, Env: []string{"GOMAXPROCS=1"},
		Sys: namespaces(verdict.Profile(o.Profile), tier, o.Owners)}
	pid, err := syscall.ForkExec("/proc/self/exe",
		append([]string{initName, strconv.Itoa(at)}, command...), attr)
	if err != nil {
		unix.Close(int(mine))
		return 0, -1, err
	}
	// Init has done nothing yet, so everything below it inherits these limits.
	for _, u := range o.ulimits {
		if !u.commandOnly(o) {
			continue
		}
		if err := u.lowerOf(pid); err != nil {
			initProcess{pid: pid, ctl: mine}.drop()
			return 0, -1, err
		}
	}
	return pid, mine, nil
}

// drop ends an init that is not needed.
func (b initProcess) drop() {
	if b.err != nil {
		return
	}
	_ = unix.Kill(b.pid, unix.SIGKILL)
	_, _ = unix.Wait4(b.pid, nil, 0, nil)
	unix.Close(int(b.ctl))
}

// namespaces returns the attributes with which init is started (clone(2),
// user_namespaces(7)).
func namespaces(profile verdict.Profile, tier int, w policy.Owners) *syscall.SysProcAttr {
	if tier < 3 {
		return &syscall.SysProcAttr{}
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)
	if profile != verdict.ProfileNone {
		flags |= unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET
	}
	if tier == 4 {
		flags |= unix.CLONE_NEWPID
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if profile == verdict.ProfileNone && uid == 0 {
		// A root without confinement is there to install packages, which needs the IDs of
		// other users.
		return &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	}
	attr := &syscall.SysProcAttr{
		Cloneflags:  flags,
		UidMappings: mappings(uid, w.UIDs),
		GidMappings: mappings(gid, w.GIDs),
	}
	if uid != 0 {
		// exec(2) drops a user's capabilities unless they are ambient (capabilities(7)).
		// CAP_DAC_OVERRIDE is for overlayfs, which makes a folder of mode 0 and marks it.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN,
			unix.CAP_NET_BIND_SERVICE,
			unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE}
	}
	return attr
}
