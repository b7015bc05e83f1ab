package confine

import (
	"errors"
	"fmt"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights of Landlock on files (landlock(7)), grouped as a policy uses them.
const (
	Look  = ll.AccessFSReadDir
	Read  = ll.AccessFSReadFile | ll.AccessFSExecute
	Write = ll.AccessFSWriteFile | ll.AccessFSTruncate
	// Build is all that may happen to the entries of a folder, but making device nodes.
	Build = ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo |
		ll.AccessFSMakeSym | ll.AccessFSRefer
	Device  = ll.AccessFSIoctlDev
	Connect = ll.AccessFSResolveUnix

	makeNodes = ll.AccessFSMakeChar | ll.AccessFSMakeBlock
	folders   = Look | Build | makeNodes // rights that a rule on a file can't have
)

// A Rule allows the use of a path and of what is below it.
type Rule struct {
	Path   string
	Rights uint64
	Plain  bool // the path was resolved: a symbolic link on it is no part of the policy
	Fd     int  // stands for the path when Path is ""
}

// A Landlock says what one ruleset handles and allows.
type Landlock struct {
	Files  bool // handle files by Rules
	TCP    bool // no TCP
	Scopes bool // no signals and abstract sockets to the outside
	Signal bool // no signals to the outside
	Rules  []Rule
}

// ABI returns the kernel's Landlock version, 0 if it has none.
func ABI() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

// scopesWork reports whether threads of one process can still signal each other under the
// scopes: ABI 6 has an erratum about that, number 2 (landlock(7)).
func scopesWork(abi int) bool {
	if abi != 6 {
		return abi > 6
	}
	errata, err := ll.LandlockGetErrata()
	return err == nil && errata&2 != 0
}

// fileRights returns the rights on files that an ABI has.
func fileRights(abi int) uint64 {
	rights := uint64(Look | Read | ll.AccessFSWriteFile | Build&^ll.AccessFSRefer | makeNodes)
	for _, later := range []struct {
		abi    int
		rights uint64
	}{{2, ll.AccessFSRefer}, {3, ll.AccessFSTruncate}, {5, Device}, {9, Connect}} {
		if abi >= later.abi {
			rights |= later.rights
		}
	}
	return rights
}

// attr returns what the ruleset handles under an ABI.
func (l Landlock) attr(abi int) (attr ll.RulesetAttr) {
	if l.Files {
		attr.HandledAccessFS = fileRights(abi)
	}
	if l.TCP && abi >= 4 {
		attr.HandledAccessNet = ll.AccessNetBindTCP | ll.AccessNetConnectTCP
		if abi >= 10 {
			attr.HandledAccessNet |= ll.AccessNetBindUDP | ll.AccessNetConnectSendUDP
		}
	}
	switch {
	case !scopesWork(abi):
	case l.Scopes:
		attr.Scoped = ll.ScopeAbstractUnixSocket | ll.ScopeSignal
	case l.Signal:
		attr.Scoped = ll.ScopeSignal
	}
	return attr
}

// Restrict puts one Landlock layer on the calling thread for good, with everything that
// the kernel's ABI supports of it. The thread must be locked, and no_new_privs set. A
// path that does not exist gets no rule.
//
// go-landlock's own Restrict takes all threads of a process, adds a rule before ABI 8
// with cgo, and lets scopes be asked for whatever errata a kernel has.
func (l Landlock) Restrict() error {
	abi := ABI()
	if abi < 1 {
		return errors.New("landlock: the kernel has none")
	}
	attr := l.attr(abi)
	if attr == (ll.RulesetAttr{}) {
		return nil
	}
	// A kernel takes members that it does not know while they are zero.
	set, err := ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("landlock ruleset: %w", err)
	}
	defer unix.Close(set)
	for _, rule := range l.Rules {
		if err := rule.add(set, attr.HandledAccessFS); err != nil {
			return fmt.Errorf("landlock rule for %s: %w", rule.Path, err)
		}
	}
	err = ll.LandlockRestrictSelf(set, 0)
	if errors.Is(err, unix.E2BIG) {
		return errors.New("landlock: the kernel stacks no more than 16 layers")
	}
	if err != nil {
		return fmt.Errorf("landlock restrict: %w", err)
	}
	return nil
}

// add adds the rule to a ruleset that handles the rights.
func (r Rule) add(set int, handled uint64) error {
	fd := r.Fd
	if r.Path != "" {
		var err error
		if r.Plain {
			fd, err = OpenPath(r.Path, 0)
		} else {
			fd, err = unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
		}
		if err != nil {
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
	return ll.LandlockAddPathBeneathRule(set,
		&ll.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0)
}

// Devices returns the names of the devices in /dev that every program may use.
func Devices() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }
