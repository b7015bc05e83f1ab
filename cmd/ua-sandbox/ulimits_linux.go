package main

import (
	"math"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

// ownLimits splits limits into those that are this program's, too, and those for init and
// what is below it: the log of this program, and what it restores at the end, may have any
// size.
func ownLimits(list []ulimit.Limit) (own, inits []ulimit.Limit) {
	for _, l := range list {
		if l.Resource == unix.RLIMIT_NPROC {
			own = append(own, l)
		} else {
			inits = append(inits, l)
		}
	}
	return own, inits
}

// How many processes and threads all stages need together with a short command, and how
// many this process needs alone when it becomes the command.
const (
	ownThreads    = 48
	nestedThreads = 10
)

// room returns an error if too few processes may be started under the limits that will be
// lowered.
func room(limits []ulimit.Limit, alone bool) error {
	need := ownThreads
	if alone {
		need = nestedThreads
	}
	bound := uint64(math.MaxUint64)
	for _, u := range limits {
		if u.Resource == unix.RLIMIT_NPROC {
			bound = min(bound, u.Most)
		}
	}
	if most, ok := procfs.MayStartOf(bound, need); !ok {
		return prog.Errorf(prog.TryLater, "at most %d processes and threads of yours may run, and "+
			"that is too few", most).Hintf("ua-sandbox needs about %d more than run now: see ulimit -u, "+
			"and --ulimit", need)
	}
	return nil
}
