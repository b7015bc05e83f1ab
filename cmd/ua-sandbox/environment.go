package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
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
	return access.Setenv(kept, secret.EnvWithheld, strings.Join(withheld, " "))
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

// name returns the name of a variable NAME=VALUE.
func name(kv string) string {
	n, _, _ := strings.Cut(kv, "=")
	return n
}

// lookup finds the file of a command as execvp(3) would with the PATH of environ. The
// environment is that of the command, so the result is what the command's own shell would
// find.
func lookup(name string, environ []string) (string, error) {
	if strings.ContainsRune(name, '/') {
		return name, nil
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = value
		}
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() &&
			unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
	}
	return "", prog.Errorf(prog.NotFound, "%q: not found", name)
}
