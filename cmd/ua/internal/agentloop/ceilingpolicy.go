package agentloop

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/verdict"
)

// ceilingOf returns the highest level of commands whose profile fits into p.
func ceilingOf(p verdict.Profile) verdict.Level {
	top := verdict.ReadOnly
	for l := verdict.ReadOnly; l < verdict.Privileged; l++ {
		if verdict.ProfileFor(l).Within(p) {
			top = l
		}
	}
	return top
}

// ceilingPolicy writes a policy that denies every level above the run's ceiling, and
// agents where none may be started. The sandbox would refuse these as well; the gate says
// so at once and in words. The judge that an agent's definition asks for is part of it,
// and so are the rows of MCP servers.
// path is "" when there is nothing to restrict.
func (l *loop) ceilingPolicy() (path string, err error) {
	var b strings.Builder
	if l.o.ceiling < verdict.Network {
		fmt.Fprintf(&b, "[levels]\nreason = %q\n", l.o.closedBy)
		for above := l.o.ceiling + 1; above < verdict.Denied; above++ {
			fmt.Fprintf(&b, "%s = \"deny\"\n", above)
		}
	}
	if l.o.limits.Off() {
		b.WriteString("[[deny]]\nrow = \"ua\"\nreason = \"this agent may start no agents\"\n")
	}
	if from := l.o.def.Judge; from != "" {
		fmt.Fprintf(&b, "[judge]\nfrom = %q\nmode = \"block\"\non_error = \"deny\"\n", from)
	}
	b.WriteString(l.o.serverPolicy())
	if b.Len() == 0 {
		return "", nil
	}
	path = filepath.Join(l.run.Dir, "ceiling.toml")
	f, err := safefile.Create(path)
	if err == nil {
		_, err = f.WriteString(b.String())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "the run's folder: %v", err)
	}
	return path, nil
}
