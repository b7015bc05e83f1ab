package main

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/cmd/ua-sandbox/internal/terminal"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/confine"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	uarun "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// nested adds a Landlock layer to this process, and a filter for what Landlock cannot
// refuse, and becomes the command. There are no other processes and no namespaces.
func nested(env *prog.Env, o *options, command []string) error {
	o.Inside = confine.Inside() != ""
	if !o.Inside {
		if err := withoutTerminal(o.fds); err != nil {
			return err
		}
	}
	p, err := resolve(o)
	if err != nil {
		return err
	}
	if o.Inside && p.Profile != verdict.ProfileReadOnly {
		own := slices.DeleteFunc(confine.Grants(),
			func(path string) bool { return !slices.Contains(plan.Tmps, path) })
		p.Write, p.Grants = append(p.Write, own...), append(p.Grants, own...)
	}
	environ := confine.WithGrants(within(env, p, o), p.Grants)
	path, err := lookup(command[0], environ)
	if err != nil {
		return err
	}
	tmp := os.TempDir()
	if p.Tmp.Dir != "" {
		tmp = p.Tmp.Dir
		environ = access.Setenv(environ, "TMPDIR", tmp)
	}
	tmp = nestedTmp(p, tmp)
	// The locks are those of one thread, which has to be the one that becomes the
	// command.
	runtime.LockOSThread()
	err = stack(p, tmp, o.Inside).Apply()
	if err == nil {
		err = ulimit.Lower(ulimit.Of(plan.Besides(p.Limits)))
	}
	if err != nil {
		return prog.Errorf(prog.NotConfined, "%w", err)
	}
	return execwrap.StartError(command[0], unix.Exec(path, command, environ))
}

// withoutTerminal takes the caller's terminal from the command unless it is standard
// input. There is no other process that could print the command's output.
func withoutTerminal(fds []int) error {
	s, err := terminal.New(fds)
	if err != nil || s.Handed {
		return err
	}
	if s.Relayed() {
		return prog.Errorf(prog.NotConfined,
			"--nested takes a terminal as standard input only").
			Hintf("pass the output on by a pipe, or leave --nested out")
	}
	if err := terminal.Leave(); err != nil {
		return prog.Errorf(prog.NotConfined, "%w", err)
	}
	return nil
}

// within returns the environment of a nested command. Inside one of our sandboxes it has
// been cleaned already, except for the proxy, which a narrower profile does not get.
func within(env *prog.Env, p *access.Policy, o *options) []string {
	if !o.Inside {
		return access.Setenv(passed(env, o), uarun.EnvSandbox, "2")
	}
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.Contains(o.withhold, name(kv)) && !execwrap.OfProxy(kv) &&
			!slices.Contains(o.Env, name(kv))
	})
	if p.Network == access.NetOwn {
		environ = slices.DeleteFunc(environ, execwrap.OfProxy)
	}
	for _, kv := range o.Env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			environ = access.Setenv(environ, name, value)
		}
	}
	return environ
}

// stack returns the locks that a nested sandbox adds. Outside of our sandboxes they are
// the only ones.
func stack(p *access.Policy, tmp string, inside bool) layer.Confinement {
	if !inside {
		return plan.New(p, 2, "", tmp, nil).Locks()
	}
	g := confine.Grant{ReadOnly: p.Profile == verdict.ProfileReadOnly, Write: p.Write, Tmp: tmp}
	for _, m := range p.Masks {
		g.Hidden = append(g.Hidden, m.Path)
	}
	landlock, filter := g.Locks(0)
	landlock.Rules = append(landlock.Rules, confine.Handed()...)
	return layer.Confinement{Landlock: &landlock, Filter: &filter}
}

// nestedTmp returns the folder for temporary files that a nested command may write: dir,
// or "" if the profile is read-only and the workspace lies in dir.
func nestedTmp(p *access.Policy, dir string) string {
	if p.Profile == verdict.ProfileReadOnly && confine.Under(p.Dir, dir) {
		return ""
	}
	return dir
}
