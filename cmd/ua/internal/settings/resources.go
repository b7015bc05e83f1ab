package settings

import (
	"cmp"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/prog"
	"ua/internal/common/size"
)

// Resources bound what the commands of a run may use, as ua-sandbox takes them.
type Resources struct {
	Pids  int        `toml:"pids"`  // processes and threads of all commands
	Mem   size.Bytes `toml:"mem"`   // writable memory of each process, such as 2G
	Fsize size.Bytes `toml:"fsize"` // bytes of a file that is written
}

// What ua-exec, which the bounds hold too, needs for itself.
const (
	LeastPids = 48
	leastMem  = 128 << 20
)

// Check returns what is wrong with the first bound that is too low or too high.
func (r *Resources) Check() error {
	if r.Pids != 0 && (r.Pids < LeastPids || r.Pids > prog.MaxPids) {
		return fmt.Errorf("pids: want a whole number from %d to %d", LeastPids, prog.MaxPids)
	}
	if r.Mem != 0 && r.Mem < leastMem {
		return fmt.Errorf("mem: want a size from %s, such as 2G", size.Bytes(leastMem).Short())
	}
	return nil
}

// Configure fills in what is open, from the settings and then the defaults: far
// above what builds and tests need, and below what makes a machine unusable.
func (r *Resources) Configure(s Resources) {
	r.Pids, r.Mem, r.Fsize = cmp.Or(r.Pids, s.Pids), cmp.Or(r.Mem, s.Mem), cmp.Or(r.Fsize, s.Fsize)
}

// What commands may use unless the user says otherwise.
const (
	UsualPids = 4096
	UsualSize = 8 << 30
)

// RunPids is how many processes and threads the stages of a run need together, with a
// short command.
const RunPids = 100

// Args returns the options of ua-sandbox. A limit on root's processes is one of the
// namespace, which nobody but ua-sandbox can set.
func (r *Resources) Args() (args []string) {
	switch {
	case r.Pids > 0:
		args = append(args, "--pids", strconv.Itoa(r.Pids))
	case os.Geteuid() == 0:
		args = append(args, "--pids", strconv.Itoa(UsualPids))
	}
	if r.Mem > 0 {
		args = append(args, "--mem", r.Mem.String())
	}
	if r.Fsize > 0 {
		args = append(args, "--fsize", r.Fsize.String())
	}
	return args
}

// Bounds returns the limits that the user has not set. Of the processes that the user
// may have, a quarter stays for what else they run.
func (r *Resources) Bounds() (list []stage.Bound) {
	var own unix.Rlimit
	if r.Pids == 0 && os.Geteuid() != 0 && unix.Getrlimit(unix.RLIMIT_NPROC, &own) == nil {
		list = append(list, stage.Bound{Resource: unix.RLIMIT_NPROC,
			Most: min(UsualPids, own.Cur-own.Cur/4)})
	}
	if r.Mem == 0 {
		list = append(list, stage.Bound{Resource: unix.RLIMIT_DATA, Most: UsualSize})
	}
	if r.Fsize == 0 {
		list = append(list, stage.Bound{Resource: unix.RLIMIT_FSIZE, Most: UsualSize})
	}
	return list
}
