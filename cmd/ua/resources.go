package main

import (
	"cmp"
	"strconv"
)

// outputMax is how many bytes of a command's output are kept in a file when the
// result can't hold them.
const outputMax = "268435456"

// resources bound what the commands of a run may use, as ua-sandbox takes them.
type resources struct {
	Pids  int    `toml:"pids"`  // processes and threads of all commands
	Mem   string `toml:"mem"`   // writable memory of each process, such as 2G
	Fsize string `toml:"fsize"` // bytes of a file that is written
}

// configure fills in what is open, from the settings and then the defaults: far
// above what builds and tests need, and below what makes a machine unusable.
func (r *resources) configure(s resources) {
	r.Pids = cmp.Or(r.Pids, s.Pids, 4096)
	r.Mem = cmp.Or(r.Mem, s.Mem, "8G")
	r.Fsize = cmp.Or(r.Fsize, s.Fsize, "8G")
}

// args is the options of ua-sandbox.
func (r *resources) args() []string {
	return []string{"--pids", strconv.Itoa(r.Pids), "--mem", r.Mem, "--fsize", r.Fsize}
}
