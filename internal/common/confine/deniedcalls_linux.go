package confine

import "golang.org/x/sys/unix"

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
