package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

// runConfined runs the command under the options, whose profile is a built-in one. The
// order counts: descriptors are closed before anything else starts, and there must be
// room for this program's own threads before the command can use it up.
func runConfined(env *prog.Env, o *options, command []string) error {
	if o.Tier == 0 {
		return prog.Errorf(prog.NotConfined, "tier 0 confines nothing").
			Hintf("run the command itself")
	}
	if o.Strict && os.Geteuid() == 0 && !o.RootOK {
		return prog.Errorf(prog.NotConfined,
			"--strict does not run as root").Hintf("run as a user, or give --root-ok")
	}
	if err := keepOnly(o.fds); err != nil {
		return err
	}
	var err error
	if o.Owners, err = foreignOwners(o); err != nil {
		return err
	}
	// Inside a sandbox of ours no second one is built; the command is only narrowed.
	alone := o.Nested || confine.Inside() != ""
	if err := room(o, alone); err != nil {
		return err
	}
	if err := lowerLimits(o); err != nil {
		return err
	}
	if alone {
		return nested(env, o, command)
	}
	stdio, err := newStdio(o.fds)
	if err != nil {
		return err
	}
	s := &parent{env: env, o: o, command: command, stdio: stdio,
		stands: make(chan struct{}), over: make(chan struct{})}
	if err := s.withLanding(); err != nil {
		return err
	}
	status, err := s.run()
	if err != nil {
		return refusal(err, command[0])
	}
	return chain.Exit(status)
}

// room returns an error if too few processes may be started under the limits that will be
// lowered.
func room(o *options, alone bool) error {
	need := ownThreads
	if alone {
		need = nestedThreads
	}
	bound := uint64(math.MaxUint64)
	for _, u := range o.ulimits {
		if u.resource == unix.RLIMIT_NPROC {
			bound = min(bound, u.most)
		}
	}
	if most, ok := procfs.MayStartOf(bound, need); !ok {
		return prog.Errorf(prog.TryLater, "at most %d processes and threads of yours may run, and "+
			"that is too few", most).Hintf("ua-sandbox needs about %d more than run now: see ulimit -u, "+
			"and --ulimit", need)
	}
	return nil
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
