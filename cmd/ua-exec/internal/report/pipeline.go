package report

import (
	"os"
	"strconv"
	"strings"

	"ua/cmd/ua-exec/internal/pipe"
)

// PreludeEnv has bash read the prelude.
const PreludeEnv = "BASH_ENV=/proc/self/fd/188"

// Prelude is what such a bash reads first, by BASH_ENV: at its exit it tells the
// statuses of the last pipeline. The command's text stays as it was judged, and
// a command that sets an EXIT trap of its own, or execs, is left to that: then
// nothing is told.
const Prelude = `unset BASH_ENV
exec 188<&-
trap '{ builtin set -- "${PIPESTATUS[@]}"; builtin set +x; } 2>/dev/null; builtin printf "%s " "$@" >&187 2>/dev/null || builtin :' EXIT
`

// A Pipeline is by what bash tells the statuses of a pipeline. A nil one tells nothing.
type Pipeline struct {
	*told
	prelude *os.File
}

// Give adds its descriptors to those of a command.
func (p *Pipeline) Give(f pipe.Files, theirs *pipe.Ends) pipe.Files {
	return p.told.Give(f, theirs).Put(PreludeFD, p.prelude.Fd())
}

// Statuses returns what was told, nil when nothing was. It is asked once.
func (p *Pipeline) Statuses() []int {
	if p == nil {
		return nil
	}
	return parseStatuses(string(p.read(512)))
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
