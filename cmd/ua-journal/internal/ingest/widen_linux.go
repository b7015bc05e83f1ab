package ingest

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold as much as is read at once, so that its writer has to wake this
// program less often. A user with many such pipes is refused (pipe(7),
// pipe-user-pages-soft), which does no harm.
func widen(f *os.File) { unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, inputMax) }
