package settings

import (
	"cmp"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

// Resources limit what the commands of a run may use, in the units of ua-sandbox.
type Resources struct {
	Pids  int        `toml:"pids" json:"pids,omitempty"`   // processes and threads of all commands
	Mem   prog.Bytes `toml:"mem" json:"mem,omitempty"`     // of each process, writable
	Fsize prog.Bytes `toml:"fsize" json:"fsize,omitempty"` // bytes of a file that is written
}

// Check returns an error for the first limit that is out of range.
func (r *Resources) Check() error {
	if r.Pids != 0 && (r.Pids < LeastPids || r.Pids > prog.MaxPids) {
		return fmt.Errorf("pids: want a whole number from %d to %d", LeastPids, prog.MaxPids)
	}
	if r.Mem != 0 && r.Mem < leastMem {
		return fmt.Errorf("mem: want a size from %s, such as 2G", prog.Bytes(leastMem).Short())
	}
	return nil
}

// Configure fills in limits that are not set from the settings. What stays 0 gets a
// default in Args. Defaults are far above what builds and tests need, and below what
// makes a machine unusable.
func (r *Resources) Configure(s Resources) {
	r.Pids, r.Mem, r.Fsize = cmp.Or(r.Pids, s.Pids), cmp.Or(r.Mem, s.Mem), cmp.Or(r.Fsize, s.Fsize)
}

// Args returns the options of ua-sandbox. The defaults are resource limits
// (setrlimit(2)), which no extra process has to set. root is not bound by RLIMIT_NPROC,
// so its limit on processes is that of the namespace.
func (r *Resources) Args() (args []string) {
	if r.Pids > 0 {
		args = append(args, "--pids", strconv.Itoa(r.Pids))
	} else {
		args = append(args, defaultPids()...)
	}
	for _, bound := range []struct {
		option, ulimit string
		most           prog.Bytes
	}{{"--mem", "data=", r.Mem}, {"--fsize", "fsize=", r.Fsize}} {
		if bound.most > 0 {
			args = append(args, bound.option, bound.most.String())
		} else {
			args = append(args, "--ulimit", bound.ulimit+prog.Bytes(DefaultSize).String())
		}
	}
	return args
}

// defaultPids returns the option that limits processes when the user has set no limit.
// RLIMIT_NPROC counts all processes of the user, so what runs already is added if it is
// much. Of what the user may still start, a quarter is kept for other work, unless a run
// needs it.
func defaultPids() []string {
	var own unix.Rlimit
	if os.Geteuid() == 0 {
		return []string{"--pids", strconv.Itoa(DefaultPids)}
	}
	if unix.Getrlimit(unix.RLIMIT_NPROC, &own) != nil {
		return nil
	}
	most, few := uint64(DefaultPids), min(DefaultPids, own.Cur)/8
	known := few
	if own.Cur >= 2*DefaultPids {
		known = DefaultPids // there is room: all threads of the machine may stand for the user's
	}
	runs := uint64(procfs.Running(int(known)))
	if runs > few {
		most += runs
	}
	keeps := own.Cur - (max(own.Cur, runs)-runs)/4
	return []string{"--ulimit", fmt.Sprintf("nproc=%d", min(most, max(keeps, runs+RunPids)))}
}

// What ua-exec needs for itself, since the limits of commands hold for it, too.
const (
	LeastPids = 48        // processes and threads
	leastMem  = 128 << 20 // bytes of each process
)

// RunPids is how many processes and threads the stages of a run need together, with a
// short command.
const RunPids = 130

// The default limits of commands.
const (
	DefaultPids = 4096
	DefaultSize = 8 << 30
)
