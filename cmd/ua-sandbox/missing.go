package main

import (
	"os"
	"strings"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
)

// appeared warns of paths that were denied or guarded, were not there when the
// command began, and are now. No mount could hide them without leaving an empty
// file in their place, which strict does not do to a workspace.
func appeared(env *prog.Env, p *policy.Policy) {
	var list []string
	for _, path := range p.Missing {
		if !p.Strict || !p.Writable(path) {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			list = append(list, path)
		}
	}
	if len(list) > 0 {
		env.Warnf("the command made %s: look at it before anything runs or reads it",
			strings.Join(list, ", "))
	}
}
