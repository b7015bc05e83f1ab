package main

import (
	"os"

	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// greeting returns the first line of a session: how to ask, and what the shell may write.
func (s *session) greeting() string {
	switch s.o.sandbox {
	case "":
		return "# asks the agent. No sandbox is here: what only reads runs, the rest asks."
	case string(verdict.ProfileReadOnly):
		return "# asks the agent. This shell is in a sandbox and can write nothing but its own /tmp."
	}
	dir, _ := os.Getwd()
	return "# asks the agent. This shell is in a sandbox and can write " + style.Printable(dir) +
		" and its own /tmp."
}
