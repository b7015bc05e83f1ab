package report

import (
	"os"
	"strconv"
	"strings"

	"ua/cmd/ua-exec/internal/pipe"
)

// PreludeEnv makes bash read the prelude.
const PreludeEnv = "BASH_ENV=/proc/self/fd/188"

// Prelude is what such a bash reads first, through BASH_ENV. When bash exits, it reports
// the exit statuses of the last pipeline. The text of the command stays as it was judged.
// A command that sets an EXIT trap of its own, or that execs, keeps its behaviour; then
// nothing is reported.
const Prelude = `unset BASH_ENV
exec 188<&-
trap '{ builtin set -- "${PIPESTATUS[@]}"; builtin set +x; } 2>/dev/null; builtin printf "%s " ` +
	`"$@" >&187 2>/dev/null || builtin :' EXIT
`

// A Pipeline is the channel on which bash reports the statuses of a pipeline. A nil
// Pipeline reports nothing.
type Pipeline struct {
	*Channel
	prelude *os.File
}

// Give adds the descriptors of the channel to those of a command.
func (p *Pipeline) Give(f pipe.Files, theirs *pipe.Ends) pipe.Files {
	return p.Channel.Give(f, theirs).Put(PreludeFD, p.prelude.Fd())
}

// Statuses returns what was reported, or nil. Call it once.
func (p *Pipeline) Statuses() []int {
	if p == nil {
		return nil
	}
	return parseStatuses(string(p.read(512)))
}

// parseStatuses parses exit statuses separated by spaces. Anything else makes the result
// nil, because whatever the command runs can write to the channel too.
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
