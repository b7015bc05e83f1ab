package main

import (
	"cmp"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/size"
)

// outputMax is how many bytes of a command's output are kept in a file when the
// result can't hold them.
const outputMax = "268435456"

// resources bound what the commands of a run may use, as ua-sandbox takes them.
type resources struct {
	Pids  int        `toml:"pids"`  // processes and threads of all commands
	Mem   size.Bytes `toml:"mem"`   // writable memory of each process, such as 2G
	Fsize size.Bytes `toml:"fsize"` // bytes of a file that is written
}

// configure fills in what is open, from the settings and then the defaults: far
// above what builds and tests need, and below what makes a machine unusable.
func (r *resources) configure(s resources) {
	r.Pids, r.Mem, r.Fsize = cmp.Or(r.Pids, s.Pids), cmp.Or(r.Mem, s.Mem), cmp.Or(r.Fsize, s.Fsize)
}

// What commands may use unless the user says otherwise.
const (
	usualPids = 4096
	usualSize = 8 << 30
)

// args returns the options of ua-sandbox. A limit on root's processes is one of the
// namespace, which nobody but ua-sandbox can set.
func (r *resources) args() (args []string) {
	switch {
	case r.Pids > 0:
		args = append(args, "--pids", strconv.Itoa(r.Pids))
	case os.Geteuid() == 0:
		args = append(args, "--pids", strconv.Itoa(usualPids))
	}
	if r.Mem > 0 {
		args = append(args, "--mem", r.Mem.String())
	}
	if r.Fsize > 0 {
		args = append(args, "--fsize", r.Fsize.String())
	}
	return args
}

// bounds returns the limits that the user has not set.
func (r *resources) bounds() (list []stage.Bound) {
	if r.Pids == 0 && os.Geteuid() != 0 {
		list = append(list, stage.Bound{Resource: unix.RLIMIT_NPROC, Most: usualPids})
	}
	if r.Mem == 0 {
		list = append(list, stage.Bound{Resource: unix.RLIMIT_DATA, Most: usualSize})
	}
	if r.Fsize == 0 {
		list = append(list, stage.Bound{Resource: unix.RLIMIT_FSIZE, Most: usualSize})
	}
	return list
}
