package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
)

// stages are what this binary does under another name than its own.
var stages = map[string]func(*prog.Env) error{}

func confine(env *prog.Env, p *policy.Policy, o *options, command []string) error {
	return nested(p, o, command)
}

func probe(env *prog.Env, json bool) error { return usage("--probe: not on this system") }
func explain(env *prog.Env, p *policy.Policy, o *options) error {
	return usage("--explain: not on this system")
}

// locks is the confinement of a thread at a level. ports may be connected to
// when there is no network namespace.
func locks(p *policy.Policy, tmp string, level int, ports []uint16, noMeta bool) layer.Confinement {
	own := level >= 3
	hostNet := p.Network == policy.NetHost
	c := layer.Confinement{Keyring: true, Caps: true}
	c.Filter = &layer.Filter{Surface: true, NoMeta: noMeta, SelfOnly: level < 4}
	if !own && !hostNet {
		c.Filter.NoIPC = true
		c.Filter.NoInet = len(ports) == 0
		c.Filter.StreamNet = len(ports) > 0
		c.Filter.NoUnix = p.Strict && layer.ABI() < 9
	}
	if level >= 2 {
		c.Landlock = &layer.Landlock{Files: true, TCP: !own && !hostNet, Ports: ports, Scopes: !hostNet, Rules: layer.Files(p, tmp, !own)}
	}
	return c
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
