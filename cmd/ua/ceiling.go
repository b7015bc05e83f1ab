package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// ceiling is the highest level of commands that fit into a profile.
func ceiling(p verdict.Profile) verdict.Level {
	top := verdict.ReadOnly
	for l := verdict.ReadOnly; l < verdict.Privileged; l++ {
		if verdict.ProfileFor(l).Within(p) {
			top = l
		}
	}
	return top
}

// ceilingPolicy writes a policy that denies every level above the run's ceiling,
// for the gate to say so at once, where the sandbox would only refuse. It is ""
// when the ceiling is the usual one.
func (l *loop) ceilingPolicy() (path string, err error) {
	top := ceiling(verdict.Profile(l.o.profile))
	if top == verdict.Network {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("[levels]\n")
	for above := top + 1; above < verdict.Denied; above++ {
		fmt.Fprintf(&b, "%s = \"deny\"\n", above)
	}
	path = filepath.Join(l.run.Dir, "ceiling.toml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return "", prog.Errorf(prog.Trouble, "the run's folder: %v", err)
	}
	return path, nil
}
