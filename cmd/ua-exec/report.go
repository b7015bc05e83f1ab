package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"ua/cmd/ua-exec/internal/pipe"
)

// The descriptors that a shell gets whose command may hold a pipeline: high
// ones, which no script takes for its own.
const (
	reportFD  = 187
	preludeFD = 188
)

// preludeEnv has bash read the prelude.
const preludeEnv = "BASH_ENV=/proc/self/fd/188"

// prelude is what such a bash reads first, by BASH_ENV: at its exit it tells the
// statuses of the last pipeline. The command's text stays as it was judged, and
// a command that sets an EXIT trap of its own, or execs, is left to that: then
// nothing is told.
const prelude = `unset BASH_ENV
exec 188<&-
trap '{ builtin set -- "${PIPESTATUS[@]}"; builtin set +x; } 2>/dev/null; builtin printf "%s " "$@" >&187 2>/dev/null || builtin :' EXIT
`

// A report is the pipe by which bash tells the statuses of a pipeline. A nil
// one tells nothing.
type report struct {
	prelude *os.File
	r, w    int
}

// files adds the report's descriptors to those of a command.
func (r *report) files(f pipe.Files) pipe.Files {
	return f.Put(reportFD, uintptr(r.w)).Put(preludeFD, r.prelude.Fd())
}

// statuses returns what was told, nil when nothing was. It ends the report.
func (r *report) statuses() []int {
	if r == nil {
		return nil
	}
	defer syscall.Close(r.r)
	var b [512]byte
	n, err := syscall.Read(r.r, b[:])
	if err != nil || n <= 0 {
		return nil
	}
	return parseStatuses(string(b[:n]))
}

// parseStatuses reads exit statuses with spaces around them, nil when there is
// anything else: whatever the command runs can write to the report, too.
func parseStatuses(text string) (list []int) {
	for _, word := range strings.Fields(text) {
		status, err := strconv.ParseUint(word, 10, 8)
		if err != nil {
			return nil
		}
		list = append(list, int(status))
	}
	return list
}
