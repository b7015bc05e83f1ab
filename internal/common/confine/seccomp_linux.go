package confine

import (
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Filter says which system calls a seccomp filter refuses.
type Filter struct {
	// kernel surface that no workload needs, terminals, sockets, others' limits, set-user-ID
	Surface  bool
	NoInet   bool // no IP sockets at all: there is no network namespace to hold them
	NoIPC    bool // no System V IPC: there is no namespace of its own
	SelfOnly bool // priorities and scheduling of the caller only: others can be named
	NoMeta   bool // no owner, mode, time or attribute of a file changes
	Spare    int  // no signal for this thread, a number of gettid(2); 0 is none
}

// newNamespaces are the flags of clone(2) that make a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP

// Requests of ioctl(2) that change a file's attributes (linux/fs.h, linux/msdos_fs.h),
// and those by which Btrfs makes and removes subvolumes in a folder that is open for
// reading (linux/btrfs.h). Landlock sees neither.
var metaRequests = []uint32{0x40086602, 0x40046602, 0x401c5820, 0x40087602, 0x40047602, 0x40047211,
	0x50009401, 0x5000940e, 0x5000940f, 0x50009417, 0x50009418, 0x5000943f, 0x4008941a}

// Program returns the filter for this machine's architecture. It fails calls and never
// kills, so that libraries can fall back. Calls that programs probe for, and have another
// way for, get ENOSYS; all others get EPERM.
func (f Filter) Program() ([]unix.SockFilter, error) {
	p := NewAssembly()
	p.Load(CallArch)
	p.Equal(auditArch, "native")
	p.Return(Errno(int(unix.ENOSYS)))
	p.Label("native")
	p.Load(CallNumber)
	f.numbers(p)
	f.arguments(p)
	p.Label("allow")
	p.Return(unix.SECCOMP_RET_ALLOW)
	p.Label("perm")
	p.Return(Errno(int(unix.EPERM)))
	p.Label("family")
	p.Return(Errno(int(unix.EAFNOSUPPORT)))
	return p.Assemble()
}

// numbers refuses calls whatever their arguments are.
func (f Filter) numbers(p *Assembly) {
	var nosys, perm []uint32
	if f.Surface {
		if foreignBit != 0 {
			p.AtLeast(foreignBit, "numbers-nosys")
		}
		nosys, perm = append(nosys, unknownCalls...), slices.Concat(perm, surfaceCalls, nativeSurface)
	}
	if f.NoIPC {
		perm = append(perm, ipcCalls...)
	}
	if f.NoMeta {
		perm = slices.Concat(perm, metaCalls, nativeMeta)
	}
	if f.Spare != 0 {
		// It takes a folder of /proc, of a thread too. Libraries fall back to kill(2).
		nosys = append(nosys, unix.SYS_PIDFD_SEND_SIGNAL)
	}
	answer(p, nosys, "numbers-nosys", int(unix.ENOSYS))
	answer(p, perm, "numbers-perm", int(unix.EPERM))
}

// answer gives each of the calls an error. The answer follows right after the
// comparisons, so that no jump gets too long.
func answer(p *Assembly, calls []uint32, label string, errno int) {
	if len(calls) == 0 {
		return
	}
	calls = slices.Clone(calls)
	slices.Sort(calls)
	search(p, calls, label)
	p.Label(label)
	p.Return(Errno(errno))
	p.Label(label + "-over")
}

// search jumps to label for one of the sorted calls, and over its answer for any other.
// It searches by halves: the kernel runs a new filter once for every call there is.
func search(p *Assembly, calls []uint32, label string) {
	if len(calls) <= 4 {
		for _, nr := range calls {
			p.Equal(nr, label)
		}
		p.Jump(label + "-over")
		return
	}
	mid := len(calls) / 2
	upper := label + strconv.Itoa(int(calls[mid]))
	p.AtLeast(calls[mid], upper)
	search(p, calls[:mid], label)
	p.Label(upper)
	search(p, calls[mid:], label)
}

// on runs body for one call, which has its own answer. Other calls continue after it.
func on(p *Assembly, nr uint32, name string, body func()) {
	p.NotEqual(nr, name+"-over")
	body()
	p.Jump("allow")
	p.Label(name + "-over")
}

// arguments refuses calls because of their arguments.
func (f Filter) arguments(p *Assembly) {
	if f.Surface {
		setUserID(p)
		on(p, unix.SYS_CLONE, "clone", func() {
			p.Load(CallArg(0))
			p.AnySet(newNamespaces, "perm")
		})
		on(p, unix.SYS_SOCKET, "socket", func() { f.socket(p) })
		on(p, unix.SYS_SOCKETPAIR, "socketpair", func() {
			p.Load(CallArg(0))
			p.NotEqual(unix.AF_UNIX, "family")
		})
	}
	if f.Surface || f.NoMeta {
		on(p, unix.SYS_IOCTL, "ioctl", func() { f.ioctl(p) })
	}
	f.scheduling(p)
	f.spare(p)
	if f.Surface || f.Spare != 0 {
		on(p, unix.SYS_FCNTL, "fcntl", func() {
			p.Load(CallArg(1))
			if f.Surface {
				p.Equal(unix.F_SETLEASE, "perm")
			}
			if f.Spare != 0 {
				p.Equal(unix.F_SETOWN_EX, "perm")
			}
		})
	}
	// A limit on init or on ua-exec, which are of the same user, would end them.
	if f.Surface || f.SelfOnly {
		on(p, unix.SYS_PRLIMIT64, "prlimit64", func() {
			p.Load(CallArg(0))
			p.Equal(0, "allow")
			p.Load(CallArg(2))
			p.NotEqual(0, "perm")
			p.Load(CallArg(2) + 4)
			p.NotEqual(0, "perm")
		})
	}
}

// setUserID keeps calls from giving a file the set-user-ID bit (S_ISUID). Such a file in
// the workspace would give every other user of the machine the rights of the user who ran
// ua. openat2(2) has the mode behind a pointer: see unknownCalls.
func setUserID(p *Assembly) {
	const makes = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY // else there is no mode
	for i, call := range slices.Concat(modeCalls, nativeModes) {
		name := "setuid" + strconv.Itoa(i)
		on(p, call.nr, name, func() {
			if call.flags >= 0 {
				p.Load(CallArg(call.flags))
				p.AnySet(makes, name+"-makes")
				p.Jump("allow")
				p.Label(name + "-makes")
			}
			p.Load(CallArg(call.mode))
			p.AnySet(unix.S_ISUID, "setuid-perm")
		})
	}
	p.Jump("setuid-over")
	p.Label("setuid-perm") // near by: a condition jumps no further than 255
	p.Return(Errno(int(unix.EPERM)))
	p.Label("setuid-over")
}

// spare keeps calls from signalling one thread by its number, which signals its whole
// process (kill(2), pidfd_open(2) with PIDFD_THREAD). Landlock cannot do that: the thread
// is in the domain of the command that it has started.
func (f Filter) spare(p *Assembly) {
	if f.Spare == 0 {
		return
	}
	for i, call := range []struct{ nr, arg uint32 }{{unix.SYS_KILL, 0}, {unix.SYS_TKILL, 0},
		{unix.SYS_TGKILL, 1},
		{unix.SYS_RT_SIGQUEUEINFO, 0}, {unix.SYS_RT_TGSIGQUEUEINFO, 1}, {unix.SYS_PIDFD_OPEN, 0}} {
		on(p, call.nr, "spare"+strconv.Itoa(i), func() {
			p.Load(CallArg(int(call.arg)))
			p.Equal(uint32(f.Spare), "perm")
		})
	}
}

// scheduling refuses to change the priority of a process group or of a user. The command
// is in its caller's group, which no namespace hides.
func (f Filter) scheduling(p *Assembly) {
	if !f.Surface && !f.SelfOnly {
		return
	}
	const ioprioProcess = 1 // linux/ioprio.h
	for _, call := range []struct {
		nr, one uint32
		name    string
	}{{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, "setpriority"},
		{unix.SYS_IOPRIO_SET, ioprioProcess, "ioprio"}} {
		on(p, call.nr, call.name, func() {
			p.Load(CallArg(0))
			p.NotEqual(call.one, "perm")
			if f.SelfOnly {
				p.Load(CallArg(1))
				p.NotEqual(0, "perm")
			}
		})
	}
	if !f.SelfOnly {
		return
	}
	for i, nr := range []uint32{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETPARAM,
		unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETATTR} {
		on(p, nr, "sched"+strconv.Itoa(i), func() {
			p.Load(CallArg(0))
			p.NotEqual(0, "perm")
		})
	}
}

// protocols are those of IP that programs use: the default, TCP, UDP, MPTCP, and ICMP for
// ping.
var protocols = []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_MPTCP,
	unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6}

// socket allows Unix and IP sockets, without the raw types and the rare protocols, and
// netlink's routing family, which getifaddrs(3) uses.
func (f Filter) socket(p *Assembly) {
	p.Load(CallArg(0))
	p.Equal(unix.AF_UNIX, "allow")
	p.Equal(unix.AF_NETLINK, "netlink")
	if f.NoInet {
		p.Jump("family")
	} else {
		p.Equal(unix.AF_INET, "inet")
		p.NotEqual(unix.AF_INET6, "family")
		p.Label("inet")
		p.Load(CallArg(1))
		// The type without SOCK_NONBLOCK and SOCK_CLOEXEC (socket(2)).
		p.And(0xf)
		p.Equal(unix.SOCK_RAW, "perm")
		p.Equal(unix.SOCK_PACKET, "perm")
		p.Load(CallArg(2))
		for _, protocol := range protocols {
			p.Equal(protocol, "allow")
		}
		p.Jump("perm")
	}
	p.Label("netlink")
	p.Load(CallArg(2))
	p.NotEqual(unix.NETLINK_ROUTE, "family")
}

// ioctl compares only the low half of the request, as the kernel does.
func (f Filter) ioctl(p *Assembly) {
	p.Load(CallArg(1))
	if f.Surface {
		p.Equal(unix.TIOCSTI, "perm")
		p.Equal(unix.TIOCLINUX, "perm")
		p.Equal(unix.TIOCSETD, "perm")
	}
	if f.NoMeta {
		for _, request := range metaRequests {
			p.Equal(request, "perm")
		}
	}
}

// Install puts the filter on the calling thread for good. no_new_privs must be set.
func (f Filter) Install() error {
	code, err := f.Program()
	if err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return fmt.Errorf("seccomp filter: %w", errno)
	}
	return nil
}

// Calls that are newer than some tables of x/sys. The numbers are the same on all
// architectures.
const (
	sysOpenTreeAttr = 467
	sysFileSetattr  = 469
	sysListns       = 470
)

// unknownCalls are answered as if the kernel did not have them. clone3(2) hides its flags
// behind a pointer, and openat2(2) the mode of a new file; libraries fall back to
// clone(2) and openat(2). io_uring makes calls that no filter sees.
var unknownCalls = []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP,
	unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// A modeCall gives a file a mode. It has the index of the argument with the mode, and of
// the one with the flags of open(2), or -1.
type modeCall struct {
	nr          uint32
	mode, flags int
}

// modeCalls are all calls that give a file a mode, the most frequent first, but for
// nativeModes. Lists are joined where a filter is made: most programs make none.
var modeCalls = []modeCall{{unix.SYS_OPENAT, 3, 2}, {unix.SYS_FCHMOD, 1, -1},
	{unix.SYS_FCHMODAT, 2, -1}, {unix.SYS_FCHMODAT2, 2, -1}, {unix.SYS_MKNODAT, 2, -1}}

// surfaceCalls need rights that the command does not have, or reach parts of the kernel
// that builds and tests do not need, as do those of nativeSurface. The lists of Docker and
// firejail refuse the same calls without a capability.
var surfaceCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE,
	sysOpenTreeAttr,
	unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, sysListns,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_FANOTIFY_MARK,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE,
}

// ipcCalls reach the machine's System V IPC and POSIX message queues.
var ipcCalls = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND,
	unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN,
	unix.SYS_MQ_UNLINK,
	// For one that was opened in /dev/mqueue.
	unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY, unix.SYS_MQ_GETSETATTR,
}

// metaCalls change a file's mode, owner, times or attributes, as do those of nativeMeta.
// Landlock has no right for them.
var metaCalls = []uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	sysFileSetattr,
}
