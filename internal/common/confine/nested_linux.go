// Package confine narrows what already runs in a sandbox of ours by one more
// layer, on one thread: for ua-sandbox --nested, which then becomes the command,
// and for ua-exec, which starts the command from that thread.
package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine/layer"
	"ua/internal/common/confine/policy"
	"ua/internal/common/verdict"
)

// Inside says at which level a sandbox of ours already holds this process: what
// UA_SANDBOX claims, if the process bears the marks that each level leaves. A
// claim outside a sandbox would have the secrets go unguarded.
func Inside() string {
	level := os.Getenv("UA_SANDBOX")
	nnp, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	filter, err2 := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	if err != nil || err2 != nil || nnp != 1 || filter != 2 {
		return ""
	}
	return level
}

// envGrants holds, for what runs in a sandbox of ours, the paths that it may
// write besides the profile's own, one a line. A wrong one widens nothing: the
// sandbox itself still holds.
const envGrants = "UA_SANDBOX_WRITE"

// WithGrants is env with the paths that a policy grants by name. One with a
// newline in it is left out.
func WithGrants(env []string, granted []string) []string {
	granted = slices.DeleteFunc(slices.Clone(granted), func(path string) bool { return strings.Contains(path, "\n") })
	if len(granted) == 0 {
		return slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, envGrants+"=") })
	}
	return policy.Setenv(env, envGrants, strings.Join(granted, "\n"))
}

// Grants are the paths that the sandbox around this process lets be written by
// name, those of them that still lead where they led.
func Grants() (paths []string) {
	for path := range strings.SplitSeq(os.Getenv(envGrants), "\n") {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) && real == path {
			paths = append(paths, path)
		}
	}
	return paths
}

// Tmp is the folder for temporary files that a nested command may write: dir,
// or "" when the profile is read-only and the workspace lies in it.
func Tmp(p *policy.Policy, dir string) string {
	if p.Profile == verdict.ProfileReadOnly && policy.Under(p.Dir, dir) {
		return ""
	}
	return dir
}

// Narrower is what a command in one of our sandboxes loses more: the outer one
// keeps secrets, network and kernel surface. It signals only what is in the same
// domain: itself, and the other commands that the same thread starts, which is
// how a later command ends a server that an earlier one started.
func Narrower(p *policy.Policy, tmp string) layer.Confinement {
	masks := layer.Secrets(p)
	if layer.Terminal() == "" {
		masks = append(masks, console()...)
	}
	rules := layer.Files(p, []string{tmp}, true, masks...)
	if p.Profile != verdict.ProfileReadOnly {
		rules = append(rules, layer.Rule{Path: "/", Rights: layer.Connect}) // which Unix sockets, the outer one says
	}
	return layer.Confinement{
		Landlock: &layer.Landlock{Files: true, Signal: true, Rules: rules},
		Filter:   &layer.Filter{NoMeta: p.Profile == verdict.ProfileReadOnly},
	}
}

// console is the terminal that the outer sandbox shows its commands because a
// person runs it on one. It is not for what they run in turn, with another
// standard input.
func console() []policy.Mask {
	const path = "/dev/console"
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return []policy.Mask{{Path: path}}
}
