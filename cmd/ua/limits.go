package main

import (
	"cmp"
	"strconv"
)

// outputMax is how many bytes of a command's output are kept in a file when the
// result can't hold them.
const outputMax = "268435456"

// limits bound what the commands of a run may use, as ua-sandbox takes them.
type limits struct {
	Pids  int    `toml:"pids"`  // processes and threads of all commands
	Mem   string `toml:"mem"`   // writable memory of each process, such as 2G
	Fsize string `toml:"fsize"` // bytes of a file that is written
}

// configure fills in what is open, from the settings and then the defaults: far
// above what builds and tests need, and below what makes a machine unusable.
func (l *limits) configure(s limits) {
	l.Pids = cmp.Or(l.Pids, s.Pids, 4096)
	l.Mem = cmp.Or(l.Mem, s.Mem, "8G")
	l.Fsize = cmp.Or(l.Fsize, s.Fsize, "8G")
}

// args is the options of ua-sandbox.
func (l *limits) args() []string {
	return []string{"--pids", strconv.Itoa(l.Pids), "--mem", l.Mem, "--fsize", l.Fsize}
}
