package confine

import (
	"testing"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// evaluate runs a filter over a call.
func evaluate(t *testing.T, f Filter, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	code, err := f.Program()
	if err != nil {
		t.Fatal(err)
	}
	return scripttest.Filter(t, code, arch, nr, args...)
}

func TestFilter(t *testing.T) {
	const allowed = unix.SECCOMP_RET_ALLOW
	perm, nosys, family := Errno(int(unix.EPERM)), Errno(int(unix.ENOSYS)),
		Errno(int(unix.EAFNOSUPPORT))
	surface := Filter{Surface: true}
	weak := Filter{Surface: true, NoIPC: true, SelfOnly: true}
	for _, c := range []struct {
		name   string
		filter Filter
		nr     uint32
		args   []uint64
		want   uint32
	}{
		{"read", surface, unix.SYS_READ, nil, allowed},
		{"mount", surface, unix.SYS_MOUNT, nil, perm},
		{"clone3", surface, unix.SYS_CLONE3, nil, nosys},
		{"io_uring", surface, unix.SYS_IO_URING_SETUP, nil, nosys},
		{"a thread", surface, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, allowed},
		{"a namespace", surface, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER}, perm},
		{"unix socket", surface, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, allowed},
		{"tcp", surface, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC},
			allowed},
		{"udp6", surface, unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_DGRAM}, allowed},
		{"raw", surface, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_RAW | unix.SOCK_CLOEXEC},
			perm},
		{"netlink route", surface, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, 0},
			allowed},
		{"netlink audit", surface, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, 9}, family},
		{"vsock", surface, unix.SYS_SOCKET, []uint64{40}, family},
		{"socketpair", surface, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX}, allowed},
		{"socketpair tipc", surface, unix.SYS_SOCKETPAIR, []uint64{30}, family},
		{"TIOCSTI", surface, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, perm},
		{"TIOCSTI with high bits", surface, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI | 1<<32}, perm},
		{"a line discipline", surface, unix.SYS_IOCTL, []uint64{0, unix.TIOCSETD}, perm},
		{"a lease", surface, unix.SYS_FCNTL, []uint64{3, unix.F_SETLEASE | 1<<32}, perm},
		{"a lock", surface, unix.SYS_FCNTL, []uint64{3, unix.F_SETLK}, allowed},
		{"own priority", surface, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 0, 5}, allowed},
		{"a child's priority", surface, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 7, 5},
			allowed},
		{"the group's priority", surface, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PGRP, 0, 5}, perm},
		{"the user's priority", surface, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_USER, 0, 5}, perm},
		{"own disk priority", surface, unix.SYS_IOPRIO_SET, []uint64{1, 0, 5}, allowed},
		{"the group's disk priority", surface, unix.SYS_IOPRIO_SET, []uint64{2, 0, 5}, perm},
		{"mptcp", surface, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP},
			allowed},
		{"sctp", surface, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP},
			perm},
		{"TCGETS", surface, unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allowed},
		{"fchmod", surface, unix.SYS_FCHMOD, nil, allowed},
		{"fchmod, a group's folder", surface, unix.SYS_FCHMOD, []uint64{3, 0o2775}, allowed},
		{"fchmod, set-user-ID", surface, unix.SYS_FCHMOD, []uint64{3, 0o4755}, perm},
		{"fchmodat, set-user-ID", surface, unix.SYS_FCHMODAT, []uint64{3, 0, 0o4711}, perm},
		{"fchmodat2, set-user-ID", surface, unix.SYS_FCHMODAT2, []uint64{3, 0, 0o6755, 0}, perm},
		{"mknodat, set-user-ID", surface, unix.SYS_MKNODAT, []uint64{3, 0, 0o104755}, perm},
		{"openat makes", surface, unix.SYS_OPENAT, []uint64{3, 0, unix.O_CREAT, 0o755}, allowed},
		{"openat opens", surface, unix.SYS_OPENAT, []uint64{3, 0, unix.O_DIRECTORY, 0o4755}, allowed},
		{"openat, set-user-ID", surface, unix.SYS_OPENAT,
			[]uint64{3, 0, unix.O_WRONLY | unix.O_CREAT, 0o4755}, perm},
		{"openat, unnamed", surface, unix.SYS_OPENAT, []uint64{3, 0, unix.O_TMPFILE, 0o4755}, perm},
		{"openat2", surface, unix.SYS_OPENAT2, nil, nosys},
		{"fchmod read-only", Filter{NoMeta: true}, unix.SYS_FCHMOD, nil, perm},
		{"FS_IOC_SETFLAGS", Filter{NoMeta: true}, unix.SYS_IOCTL, []uint64{0, 0x40086602}, perm},
		{"BTRFS_IOC_SNAP_CREATE_V2", Filter{NoMeta: true}, unix.SYS_IOCTL,
			[]uint64{3, 0x50009417}, perm},
		{"FICLONE", Filter{NoMeta: true}, unix.SYS_IOCTL, []uint64{3, 0x40049409}, allowed},
		{"mount, meta only", Filter{NoMeta: true}, unix.SYS_MOUNT, nil, allowed},
		{"shmget", weak, unix.SYS_SHMGET, nil, perm},
		{"another's priority", weak, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 7, 5}, perm},
		{"another's disk priority", weak, unix.SYS_IOPRIO_SET, []uint64{1, 7, 5}, perm},
		{"own processors", weak, unix.SYS_SCHED_SETAFFINITY, []uint64{0, 8, 0}, allowed},
		{"another's processors", weak, unix.SYS_SCHED_SETAFFINITY, []uint64{7, 8, 0}, perm},
		{"another's scheduler", weak, unix.SYS_SCHED_SETSCHEDULER, []uint64{7, 3, 0}, perm},
		{"own limits", surface, unix.SYS_PRLIMIT64, []uint64{0, 7, 1 << 40}, allowed},
		{"another's limits", surface, unix.SYS_PRLIMIT64, []uint64{1, 7, 1 << 40}, perm},
		{"looking at another's", surface, unix.SYS_PRLIMIT64, []uint64{1, 7, 0}, allowed},
		{"no inet", Filter{Surface: true, NoInet: true}, unix.SYS_SOCKET, []uint64{unix.AF_INET, 1},
			family},
	} {
		if got := evaluate(t, c.filter, auditArch, c.nr, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
	if got := evaluate(t, surface, 0x40000003, 0); got != nosys {
		t.Errorf("another architecture: %#x", got)
	}
	if got := evaluate(t, surface, auditArch, foreignBit+1); foreignBit != 0 && got != nosys {
		t.Errorf("x32: %#x", got)
	}
}

// Docker refuses these without a capability (its default profile); so does the
// filter.
func TestSurfaceHasDockersList(t *testing.T) {
	for name, nr := range map[string]uint32{
		"acct": unix.SYS_ACCT, "add_key": unix.SYS_ADD_KEY, "bpf": unix.SYS_BPF,
		"clock_adjtime": unix.SYS_CLOCK_ADJTIME, "clock_settime": unix.SYS_CLOCK_SETTIME,
		"delete_module": unix.SYS_DELETE_MODULE, "finit_module": unix.SYS_FINIT_MODULE,
		"init_module": unix.SYS_INIT_MODULE, "kcmp": unix.SYS_KCMP,
		"kexec_file_load": unix.SYS_KEXEC_FILE_LOAD, "kexec_load": unix.SYS_KEXEC_LOAD,
		"keyctl": unix.SYS_KEYCTL, "mount": unix.SYS_MOUNT,
		"move_pages": unix.SYS_MOVE_PAGES, "open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT,
		"perf_event_open": unix.SYS_PERF_EVENT_OPEN,
		"pivot_root":      unix.SYS_PIVOT_ROOT, "quotactl": unix.SYS_QUOTACTL, "reboot": unix.SYS_REBOOT,
		"request_key": unix.SYS_REQUEST_KEY,
		"setns":       unix.SYS_SETNS, "settimeofday": unix.SYS_SETTIMEOFDAY, "swapon": unix.SYS_SWAPON,
		"swapoff": unix.SYS_SWAPOFF, "umount2": unix.SYS_UMOUNT2,
		"unshare": unix.SYS_UNSHARE, "userfaultfd": unix.SYS_USERFAULTFD,
	} {
		if got := evaluate(t, Filter{Surface: true}, auditArch, nr); got == unix.SECCOMP_RET_ALLOW {
			t.Errorf("%s is let through", name)
		}
	}
}

func TestLandlockByABI(t *testing.T) {
	l := Landlock{Files: true, TCP: true, Scopes: true}
	for abi, want := range map[int]ll.RulesetAttr{
		1:  {HandledAccessFS: 0x1fff},
		2:  {HandledAccessFS: 0x3fff},
		3:  {HandledAccessFS: 0x7fff},
		4:  {HandledAccessFS: 0x7fff, HandledAccessNet: 3},
		5:  {HandledAccessFS: 0xffff, HandledAccessNet: 3},
		7:  {HandledAccessFS: 0xffff, HandledAccessNet: 3, Scoped: 3},
		9:  {HandledAccessFS: 0x1ffff, HandledAccessNet: 3, Scoped: 3},
		10: {HandledAccessFS: 0x1ffff, HandledAccessNet: 15, Scoped: 3},
	} {
		if got := l.attr(abi); got != want {
			t.Errorf("ABI %d: %#x, want %#x", abi, got, want)
		}
	}
}
