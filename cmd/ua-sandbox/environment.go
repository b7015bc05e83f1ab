package main

import (
	"os"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
	"ua/internal/common/secret"
)

// passed returns the environment of the command. Variables that look like a secret are
// left out. The person is told so, of ua's own keys apart, and the command finds their names
// in UA_WITHHELD.
func passed(env *prog.Env, o *options) []string {
	kept, withheld := o.environ()
	kept = slices.DeleteFunc(kept, func(kv string) bool { return injected(name(kv), o.Inject) })
	if len(withheld) == 0 {
		return kept
	}
	if others := secret.OthersKeys(withheld); len(others) > 0 && !o.Quiet {
		env.Warnf("%s", secret.Withheld(others))
	}
	return policy.Setenv(kept, secret.EnvWithheld, strings.Join(withheld, " "))
}

// environ splits the caller's environment into what the command gets and the names of what
// is kept from it.
func (o *options) environ() (kept, withheld []string) {
	return secret.Split(os.Environ(), o.Env, func(name, value string) bool {
		return slices.Contains(o.withhold, name) || !o.envJudged && secret.Variable(name, value)
	})
}

// injected reports whether --inject names the variable: its value is only for the proxy.
func injected(name string, rows []string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		_, variable, _ := strings.Cut(row, "=")
		variable, _, _ = strings.Cut(variable, ":")
		return variable == name
	})
}
