package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// How many processes and threads all stages need with a short command, and this process
// alone, which becomes the command.
const (
	ownThreads    = 48
	nestedThreads = 10
)

// runConfined runs the command under the options, whose profile is a built-in one.
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
	alone := o.Nested || confine.Inside() != ""
	need := ownThreads
	if alone {
		need = nestedThreads
	}
	if most, ok := procfs.Room(need); !ok {
		return prog.Errorf(prog.TryLater, "at most %d processes and threads of yours may run, and "+
			"that is too few", most).Hintf("ua-sandbox needs about %d more than run now: see ulimit -u, "+
			"and --ulimit", need)
	}
	if alone {
		return nested(env, o, command)
	}
	stdio, err := newStdio(o.fds)
	if err != nil {
		return err
	}
	environ := passed(env, o)
	path, err := lookup(command[0], environ)
	if err != nil {
		return err
	}
	s := &parent{env: env, o: o, command: command, environ: environ, path: path, stdio: stdio,
		stands: make(chan struct{})}
	status, err := s.run()
	if err != nil {
		return refusal(err, command[0])
	}
	return chain.Exit(status)
}

// keepOnly closes every descriptor for the command but the standard ones and
// those asked for. A standard one that is a folder would be a way around every
// mount: what lies in it is reached as it is outside.
func keepOnly(fds []int) error {
	for fd := range 3 {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR {
			return prog.Errorf(prog.NotConfined, "descriptor %d is a folder outside the sandbox",
				fd).Hintf("give a file, a pipe or /dev/null; --fd keeps other descriptors")
		}
	}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return prog.Errorf(prog.NotConfined, "close_range: %w", err)
	}
	for _, fd := range fds {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return usage("--fd %d: %w", fd, err)
		}
	}
	return nil
}

// locks returns the confinement of the command's thread.
func locks(pl *plan) layer.Confinement {
	view, host := pl.Tier >= 3, pl.Network == policy.NetHost
	c := layer.Confinement{Keyring: true, Caps: layer.NoCaps}
	if pl.Profile == verdict.ProfileNone && pl.Tier == 3 && os.Getuid() == 0 {
		c.Caps = layer.RootCaps
	}
	if pl.Tier >= 2 {
		rules := append(pl.Files.Rules(), confine.Handed()...)
		c.Landlock = &confine.Landlock{Files: true, TCP: !view &&
			!host, Ports: pl.Ports, Scopes: !host,
			Rules: rules}
	}
	if host {
		return c
	}
	c.Filter = &confine.Filter{Surface: true, SelfOnly: pl.Tier < 4}
	if !view {
		c.Filter.NoIPC = true
		c.Filter.NoMeta = pl.Files.ReadOnly
		c.Filter.NoInet = len(pl.Ports) == 0
		c.Filter.StreamNet = len(pl.Ports) > 0
	}
	return c
}

// keepsSignals reports whether a signal from the command's thread reaches nothing but what
// the command has started.
func keepsSignals(pl *plan) bool {
	l := locks(pl).Landlock
	return l != nil && l.KeepsSignals()
}

// files returns the rules of a policy's files at a tier. Where there is no view,
// Landlock alone keeps the secrets, and the machine's disks and terminals.
func files(p *policy.Policy, tier int, tmp []string) confine.Files {
	f := confine.Files{All: p.Profile == verdict.ProfileNone,
		ReadOnly: p.Profile == verdict.ProfileReadOnly, View: tier >= 3,
		Write: p.Write, Frozen: p.Frozen, Sockets: p.Sockets, Tmp: tmp}
	if f.View {
		return f
	}
	shown := slices.Concat(p.Shown(), tmp)
	for _, m := range p.Masks {
		if !m.Socket || m.Dir { // a right of its own is for sockets; beside them lie pipes and tokens
			f.Hidden = append(f.Hidden, m.Path)
		}
	}
	for _, path := range shown { // as the view of a higher tier shows them
		if slices.ContainsFunc(f.Hidden,
			func(h string) bool { return path != h && confine.Under(path, h) }) {
			f.Shown = append(f.Shown, path)
		}
	}
	if !f.All {
		f.Hidden = append(f.Hidden, "/dev")
	}
	return f
}

// lookup finds a command's file as execvp(3) would under environ's PATH.
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

// A refused is a layer that this system does not let be put on.
type refused struct {
	Step string
	Err  error
}

func (r *refused) Error() string { return fmt.Sprintf("%s: %v", r.Step, r.Err) }
func (r *refused) Unwrap() error { return r.Err }

// refusal puts a refused layer into words.
func refusal(err error, name string) error {
	var r *refused
	if !errors.As(err, &r) {
		return err
	}
	if r.Step == "exec" {
		return chain.StartError(name, r.Err)
	}
	return prog.Errorf(prog.NotConfined, "the sandbox can't be set up: %w", err).
		Hintf("%s", mend(r))
}
