package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/regular"
)

// caches makes the caches that are read through, and points environ at those that could
// be made. The others stay where they are, where they are read-only.
func (pl *plan) caches(environ []string) []string {
	for _, c := range pl.Caches {
		var err error
		for _, o := range c.Overlays {
			err = errors.Join(err, layer.Overlay{Lower: o[0], At: o[1]}.Mount())
		}
		for _, l := range c.Links {
			if _, missing := os.Lstat(l[0]); missing == nil {
				err = errors.Join(err, os.MkdirAll(filepath.Dir(l[1]), 0o755),
					os.Symlink(l[0], l[1]))
			}
		}
		for _, f := range c.Copies {
			// A file that cannot be read is left out: the tool then starts without it.
			if text, unread := regular.Read(f[0], policy.MaxCopy); unread == nil {
				err = errors.Join(err, os.MkdirAll(filepath.Dir(f[1]), 0o755),
					os.WriteFile(f[1], text, 0o644))
			}
		}
		if err == nil {
			environ = policy.Setenv(environ, c.Name, c.Value)
		}
	}
	return environ
}

// withProxy points the programs in the sandbox at the proxy.
func withProxy(environ []string, addr string, pl *plan) []string {
	return set(environ, proxy.Env(addr, pl.Secret, pl.Allow...))
}

// set returns environ with the variables of list, NAME=VALUE, replacing its own.
func set(environ, list []string) []string {
	for _, kv := range list {
		name, value, _ := strings.Cut(kv, "=")
		environ = policy.Setenv(environ, name, value)
	}
	return environ
}
