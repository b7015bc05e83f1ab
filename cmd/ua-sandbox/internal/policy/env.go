package policy

import (
	"os"
	"slices"
	"strings"
)

// Setenv is env with name set to value.
func Setenv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(env, name+"="+value)
}

// caches are variables that say where a tool's cache is, where it is without
// them, and the place below TMPDIR where it goes.
var caches = [][3]string{
	{"XDG_CACHE_HOME", "~/.cache", ".cache"},
	{"GOCACHE", "~/.cache/go-build", ".cache/go-build"},
	{"PIP_CACHE_DIR", "~/.cache/pip", ".cache/pip"},
	{"npm_config_cache", "~/.npm", ".cache/npm"},
}

// TmpEnv points env at the private tmp, and the caches that the policy does not
// let the command write at folders in it. Profile none has its caller's.
func (p *Policy) TmpEnv(env []string, tmp string) []string {
	if tmp == "" {
		tmp = os.TempDir()
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		env = Setenv(env, name, tmp)
	}
	if p.Profile == "none" {
		return env
	}
	for _, c := range caches {
		at := os.Getenv(c[0])
		if at == "" {
			at = Absolute(c[1])
		}
		if !p.Writable(realOr(at)) {
			at = tmp + "/" + c[2]
		}
		env = Setenv(env, c[0], at)
	}
	return env
}
