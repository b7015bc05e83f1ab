package main

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// inside says at which level a sandbox of ours already holds this process: what
// UA_SANDBOX claims, if the process bears the marks that each level leaves. A
// claim outside a sandbox would have the secrets go unguarded.
func inside() string {
	level := os.Getenv("UA_SANDBOX")
	nnp, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	filter, err2 := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	if err != nil || err2 != nil || nnp != 1 || filter != 2 {
		return ""
	}
	return level
}

// nested adds a Landlock layer, and a filter for what Landlock can't refuse, to
// this process and becomes the command: no other process, no namespaces.
func nested(o *options, command []string) error {
	level := inside()
	o.Inside = level != ""
	p, err := resolve(o)
	if err != nil {
		return err
	}
	environ := within(p, o)
	path, err := lookup(command[0], environ)
	if err != nil {
		return err
	}
	tmp := os.TempDir()
	if p.Tmp.Dir != "" {
		tmp = p.Tmp.Dir
		environ = policy.Setenv(environ, "TMPDIR", tmp)
	}
	if p.Profile == verdict.ProfileReadOnly && policy.Under(p.Dir, tmp) {
		tmp = "" // the workspace lies in it
	}
	runtime.LockOSThread()
	err = stack(p, tmp, o.Inside).Apply()
	if err == nil {
		err = layer.SetLimits(p.Limits)
	}
	if err != nil {
		return prog.Errorf(prog.NotConfined, "%w", err)
	}
	return startError(command[0], unix.Exec(path, command, environ))
}

// within is the environment of a nested command: inside one of our sandboxes it
// has been cleaned already, but for the proxy, which a narrower profile has not.
func within(p *policy.Policy, o *options) []string {
	if !o.Inside {
		return policy.Setenv(policy.Environ(os.Environ(), o.Env), "UA_SANDBOX", "2")
	}
	environ := os.Environ()
	if p.Network == policy.NetOwn {
		environ = slices.DeleteFunc(environ, proxied)
	}
	for _, kv := range o.Env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			environ = policy.Setenv(environ, name, value)
		}
	}
	return environ
}

// proxied says whether a variable is one of those that proxy.Env sets. A
// GIT_SSH_COMMAND of the caller's own is not.
func proxied(kv string) bool {
	name, value, _ := strings.Cut(kv, "=")
	switch name {
	case "NODE_USE_ENV_PROXY", "GIT_HTTP_PROXY_AUTHMETHOD":
		return true
	case "GIT_SSH_COMMAND":
		return strings.Contains(value, " --connect %h %p")
	}
	return strings.HasSuffix(name, "_PROXY") || strings.HasSuffix(name, "_proxy")
}

// stack is what a nested sandbox adds. Inside one of ours the outer one keeps
// secrets, network and kernel surface; outside, these locks are all there is.
// Signals to other commands of the same run stay possible: that is how a later
// command ends a server that an earlier one started.
func stack(p *policy.Policy, tmp string, inside bool) layer.Confinement {
	if !inside {
		return locks(&plan{Policy: p, Level: 2, Tmp: []string{tmp}})
	}
	c := layer.Confinement{Landlock: &layer.Landlock{Files: true, Rules: layer.Files(p, []string{tmp}, len(p.Masks) > 0)}}
	if p.Profile == verdict.ProfileReadOnly {
		c.Filter = &layer.Filter{NoMeta: true}
	}
	return c
}
