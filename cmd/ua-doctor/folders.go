package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"ua/internal/common/run"
	"ua/internal/common/style"
)

// lowSpace is the free space in bytes below which a run may not fit on the disk.
const lowSpace = 100 << 20

// folders checks the folder in which runs are kept: whether it can be written, who can
// read it and how much space is free.
func folders(context.Context) []Check {
	dir := run.Root()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return []Check{{"runs", Failed, err.Error(), "set XDG_STATE_HOME to another place"}}
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return []Check{{"runs", Failed, err.Error(),
			"runs are kept there: own it and make it writable"}}
	}
	f.Close()
	os.Remove(f.Name())
	c := Check{"runs", OK, dir, ""}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err == nil {
		free := int64(disk.Bavail) * int64(disk.Bsize)
		c.Detail += fmt.Sprintf(", %sB free", style.Count(free))
		if free < lowSpace {
			c.State, c.Mend = Warned, "ua-journal prune --older 30d removes old runs"
		}
	}
	// Journals hold what commands printed, so nobody else should read them.
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		c.State, c.Mend = Warned, "others can read it: chmod 700 "+dir
	}
	return []Check{c}
}
