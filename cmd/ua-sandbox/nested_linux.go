package main

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
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
	p, err := resolve(o)
	if err != nil {
		return err
	}
	environ := policy.Environ(os.Environ(), o.Env)
	path, err := lookup(command[0], environ)
	if err != nil {
		return err
	}
	level := inside()
	tmp := os.TempDir()
	if p.Tmp.Dir != "" {
		tmp = p.Tmp.Dir
	}
	if level == "" {
		environ = policy.Setenv(environ, "UA_SANDBOX", "2")
	} else {
		environ = policy.Setenv(os.Environ(), "UA_SANDBOX", level)
	}
	runtime.LockOSThread()
	if err := stack(p, tmp, level).Apply(); err != nil {
		return prog.Errorf(prog.NotConfined, "%w", err)
	}
	if err := layer.SetLimits(p.Limits); err != nil {
		return prog.Errorf(prog.NotConfined, "%w", err)
	}
	return startError(command[0], unix.Exec(path, command, environ))
}

// stack is what a nested sandbox adds. Inside one of ours the outer one keeps
// secrets, network and kernel surface; outside, these locks are all there is.
func stack(p *policy.Policy, tmp, level string) layer.Confinement {
	readOnly := len(p.Write) == 0
	if level != "" {
		c := layer.Confinement{Landlock: &layer.Landlock{Files: true, Rules: layer.Files(p, []string{tmp}, false)}}
		if readOnly {
			c.Filter = &layer.Filter{NoMeta: true}
		}
		return c
	}
	return locks(&plan{Policy: p, Level: 2, Tmp: []string{tmp}})
}
