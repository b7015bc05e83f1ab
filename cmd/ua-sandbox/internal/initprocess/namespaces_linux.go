package initprocess

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/verdict"
)

// namespaces returns the attributes with which init is started (clone(2),
// user_namespaces(7)).
func namespaces(profile verdict.Profile, tier int, w access.Owners) *syscall.SysProcAttr {
	if tier < 3 {
		return &syscall.SysProcAttr{}
	}
	flags := uintptr(unix.CLONE_NEWUSER)
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
		return &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	}
	attr := &syscall.SysProcAttr{
		Cloneflags: flags,
		// The first mount belongs to it: no mount here is to appear outside (mount_namespaces(7)).
		// A system that lets users make namespaces and nothing in them is found out by that.
		Unshareflags: unix.CLONE_NEWNS,
		UidMappings:  mappings(uid, w.UIDs),
		GidMappings:  mappings(gid, w.GIDs),
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

// mappings maps an ID of this process, and others, to themselves.
func mappings(own int, others []int) (list []syscall.SysProcIDMap) {
	for _, id := range append([]int{own}, others...) {
		list = append(list, syscall.SysProcIDMap{ContainerID: id, HostID: id, Size: 1})
	}
	return list
}
