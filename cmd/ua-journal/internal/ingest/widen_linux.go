package ingest

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold as much as is read at once: who fills it need not wake
// this program as often. A user that has many such pipes is refused, and no
// harm is done.
func widen(f *os.File) { unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, inputMax) }
