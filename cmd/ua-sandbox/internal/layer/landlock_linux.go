package layer

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of Landlock on files (landlock(7)), in the groups that a policy has.
const (
	Look  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	Read  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	Write = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// Build is all that may happen to the entries of a folder, but making device nodes.
	Build = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	Device  = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	Connect = unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX

	makeNodes = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	folders   = Look | Build | makeNodes // rights that a rule on a file can't have
)

// A Rule lets a path, and what lies below it, be used.
type Rule struct {
	Path   string
	Rights uint64
	Fd     int // stands for the path when Path is ""
}

// A Landlock is what one ruleset handles and allows.
type Landlock struct {
	Files  bool // handle files by Rules
	TCP    bool // handle TCP: only Ports may be connected to, none bound
	Ports  []uint16
	Scopes bool // no signals and abstract sockets to the outside
	Rules  []Rule
}

// rulesetAttr is struct landlock_ruleset_attr up to ABI 6.
type rulesetAttr struct{ fs, net, scoped uint64 }

type portAttr struct{ access, port uint64 }

// ruleNetPort is LANDLOCK_RULE_NET_PORT.
const ruleNetPort = 2

// ABI is the kernel's Landlock version, 0 when it has none.
func ABI() int {
	v, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// scopesWork says whether signals between threads of one process survive the
// scopes: erratum 2 of ABI 6 (landlock(7)).
func scopesWork(abi int) bool {
	if abi != 6 {
		return abi > 6
	}
	errata, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return errno == 0 && errata&2 != 0
}

// fileRights are the rights on files that an ABI knows.
func fileRights(abi int) uint64 {
	rights := uint64(Look | Read | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | Build&^unix.LANDLOCK_ACCESS_FS_REFER | makeNodes)
	for _, later := range []struct {
		abi    int
		rights uint64
	}{{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, Device}, {9, Connect}} {
		if abi >= later.abi {
			rights |= later.rights
		}
	}
	return rights
}

// attr is what the ruleset handles under an ABI.
func (l Landlock) attr(abi int) (attr rulesetAttr) {
	if l.Files {
		attr.fs = fileRights(abi)
	}
	if l.TCP && abi >= 4 {
		attr.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		if abi >= 10 {
			attr.net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
		}
	}
	if l.Scopes && scopesWork(abi) {
		attr.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// Restrict puts one Landlock layer on the calling thread, for good, with all
// that the kernel's ABI has of it. The thread must be locked, and no_new_privs
// set. A path that is not there has no rule.
func (l Landlock) Restrict() error {
	abi := ABI()
	if abi < 1 {
		return errors.New("landlock: the kernel has none")
	}
	attr := l.attr(abi)
	size := unsafe.Sizeof(attr)
	if abi < 6 {
		size = unsafe.Offsetof(attr.scoped)
	}
	if abi < 4 {
		size = unsafe.Offsetof(attr.net)
	}
	if attr == (rulesetAttr{}) {
		return nil
	}
	set, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock ruleset: %w", errno)
	}
	defer unix.Close(int(set))
	for _, rule := range l.Rules {
		if err := rule.add(int(set), attr.fs); err != nil {
			return fmt.Errorf("landlock rule for %s: %w", rule.Path, err)
		}
	}
	for _, port := range l.Ports {
		p := portAttr{attr.net & unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)}
		if p.access == 0 {
			break
		}
		if _, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, set, ruleNetPort, uintptr(unsafe.Pointer(&p)), 0, 0, 0); errno != 0 {
			return fmt.Errorf("landlock rule for port %d: %w", port, errno)
		}
	}
	_, _, errno = unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0)
	if errno == unix.E2BIG {
		return errors.New("landlock: the kernel stacks no more than 16 layers")
	}
	if errno != 0 {
		return fmt.Errorf("landlock restrict: %w", errno)
	}
	return nil
}

// add puts the rule into a ruleset that handles the rights.
func (r Rule) add(set int, handled uint64) error {
	fd := r.Fd
	if r.Path != "" {
		var err error
		if fd, err = unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
			return nil
		}
		defer unix.Close(fd)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	rights := r.Rights & handled
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= folders
	}
	if rights == 0 {
		return nil
	}
	at := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&at)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
