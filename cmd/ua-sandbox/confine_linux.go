package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// confine runs the command under the policy.
func confine(env *prog.Env, p *policy.Policy, o *options, command []string) error {
	if p.Strict && os.Geteuid() == 0 && !p.RootOK {
		return prog.Errorf(prog.NotConfined, "--strict does not run as root").Hintf("run as a user, or give --root-ok")
	}
	if err := keepOnly(o.fds); err != nil {
		return err
	}
	if o.Nested || inside() != "" {
		return nested(p, o, command)
	}
	environ := policy.Environ(os.Environ(), o.Env)
	path, err := lookup(command[0], environ)
	if err != nil {
		return err
	}
	s := &parent{}
	signals := s.watch()
	tmp, remove, err := privateTmp(p)
	if err != nil {
		return prog.Errorf(prog.NotConfined, "private tmp: %w", err)
	}
	status, err := func() (unix.WaitStatus, error) {
		defer remove()
		if err := s.descend(env, p, o, path, tmp, command, environ); err != nil {
			return 0, err
		}
		return s.wait(signals)
	}()
	if err != nil {
		return s.explain(err, command[0])
	}
	return exit(status)
}

// keepOnly closes every descriptor for the command but the standard ones and
// those asked for.
func keepOnly(fds []int) error {
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

// descend starts the command at the highest level that works here and that the
// policy takes.
func (s *parent) descend(env *prog.Env, p *policy.Policy, o *options, path, tmp string, command, environ []string) error {
	if p.Network == policy.NetProxy {
		if err := s.makeProxy(env, p); err != nil {
			return err
		}
	}
	var first error
	for level := top(p); ; {
		pl := newPlan(p, level, path, tmp, environ)
		pl.Fds, pl.Capture = o.fds, p.Capture
		if s.server != nil {
			pl.Secret = s.server.Secret
		}
		err := s.launch(pl, command, policy.Setenv(environ, "UA_SANDBOX", fmt.Sprint(level)))
		var r *refused
		if err == nil {
			if level == 2 && first != nil && !o.Quiet {
				env.Warnf("level 2: no namespaces here (%v): no network, names in secret folders can be listed, modes and times can be changed", first)
			}
			return nil
		}
		if !errors.As(err, &r) || p.Level != policy.Auto {
			return err
		}
		if first == nil {
			first = err
		}
		if level = below(level, r, p.Strict); level == 0 {
			return first
		}
	}
}

// top is the level to begin with.
func top(p *policy.Policy) int {
	switch {
	case p.Level != policy.Auto:
		return p.Level
	case p.Profile == verdict.ProfileNone:
		return 3
	}
	return 4
}

// below is the next level to try after one was refused, or 0.
func below(level int, r *refused, strict bool) int {
	switch {
	case level == 4 && (r.Step == "proc" || r.Step == "namespaces"):
		return 3
	case level >= 3 && !strict && r.Step != "locks" && r.Step != "exec":
		return 2
	}
	return 0
}

// makeProxy prepares the proxy that the parent serves.
func (s *parent) makeProxy(env *prog.Env, p *policy.Policy) error {
	allow, err := proxy.ParsePolicy(p.Allow)
	if err != nil {
		return usage("--net-allow: %w", err)
	}
	var secret [16]byte
	rand.Read(secret[:])
	s.server = &proxy.Server{Policy: allow, Secret: hex.EncodeToString(secret[:])}
	for _, item := range p.Inject {
		in, err := proxy.ParseInject(item, os.Getenv)
		if err != nil {
			return usage("--inject: %w", err)
		}
		s.server.Inject = append(s.server.Inject, in)
	}
	return nil
}

// namespaces are what init is born with.
func namespaces(pl *plan) *syscall.SysProcAttr {
	if pl.Level < 3 {
		return &syscall.SysProcAttr{}
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)
	if pl.Policy.Profile != verdict.ProfileNone {
		flags |= unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET
	}
	if pl.Level == 4 {
		flags |= unix.CLONE_NEWPID
	}
	uid, gid := os.Geteuid(), os.Getegid()
	attr := &syscall.SysProcAttr{
		Cloneflags:  flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
	}
	if uid != 0 {
		// exec(2) takes a user's capabilities unless they are ambient.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP}
	}
	return attr
}

// locks is the confinement of the command's thread.
func locks(pl *plan) layer.Confinement {
	p, own, host := pl.Policy, pl.Level >= 3, pl.Policy.Network == policy.NetHost
	c := layer.Confinement{Keyring: true, Caps: true}
	if pl.Level >= 2 {
		c.Landlock = &layer.Landlock{Files: true, TCP: !own && !host, Ports: pl.Ports, Scopes: !host, Rules: layer.Files(p, pl.Tmp, !own)}
	}
	if host {
		return c
	}
	c.Filter = &layer.Filter{Surface: true, SelfOnly: pl.Level < 4}
	if !own {
		c.Filter.NoIPC = true
		c.Filter.NoMeta = len(p.Write) == 0
		c.Filter.NoInet = len(pl.Ports) == 0
		c.Filter.StreamNet = len(pl.Ports) > 0
		c.Filter.NoUnix = p.Strict && layer.ABI() < 9
	}
	return c
}

// privateTmp makes the folder that the command sees as its tmp, on disk so that
// a large build does not fill the memory, and says how to remove it.
func privateTmp(p *policy.Policy) (dir string, remove func(), err error) {
	keep := func() {}
	if p.Tmp.Dir != "" {
		return p.Tmp.Dir, keep, os.MkdirAll(p.Tmp.Dir, 0o700)
	}
	if p.Tmp.Memory || p.Profile == verdict.ProfileNone {
		return "", keep, nil
	}
	base, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		base = "/tmp"
	}
	dir, err = os.MkdirTemp(base, "ua-sandbox-")
	return dir, func() { removeAll(dir) }, err
}

// removeAll removes dir though folders in it may refuse it, as those of Go's
// module cache do.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// explain puts a refusal into words.
func (s *parent) explain(err error, name string) error {
	var r *refused
	if !errors.As(err, &r) {
		return err
	}
	if r.Step == "exec" {
		return startError(name, r.Err)
	}
	return prog.Errorf(prog.NotConfined, "the sandbox can't be made: %w", err).Hintf("%s", mend(r))
}

// mend says what a person can do about a refusal.
func mend(r *refused) string {
	return "ua-sandbox --probe says what this system lets be done"
}

func probe(env *prog.Env, json bool) error { return usage("--probe: not on this system") }
func explain(env *prog.Env, p *policy.Policy, o *options) error {
	return usage("--explain: not on this system")
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
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
	}
	return "", prog.Errorf(prog.NotFound, "%q: not found", name)
}

// startError is the error of a command that could not be started: 127 when it
// is not there, 126 when it can't be run.
func startError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return prog.Errorf(prog.NotFound, "%q: not found", name)
	}
	return prog.Errorf(prog.NotConfined, "%q: %w", name, err)
}
