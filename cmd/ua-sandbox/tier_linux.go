package main

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/chain"
	"ua/internal/common/verdict"
)

// The tiers are what is left when a system refuses a layer: 4 has all, 3 no pid
// namespace, 2 no namespaces, 1 only the system call filter.

// top returns the tier to begin with.
func top(o *options) int {
	switch {
	case o.Tier != policy.Auto:
		return o.Tier
	case o.Profile == string(verdict.ProfileNone):
		return 3
	}
	return 4
}

// below returns the next tier to try after one was refused, or 0.
func below(tier int, r *refused, strict bool) int {
	switch {
	case r.Step == "exec" || r.Step == "locks":
		return 0
	case tier == 4 && (r.Step == "proc" || r.Step == "namespaces"):
		return 3
	case tier >= 3 && !strict && !replaced(r):
		return 2
	}
	return 0
}

// replaced reports whether a layer was refused because of what lies in a folder,
// which another command can bring about, and not by the system: that must not
// lead to a lower tier.
func replaced(r *refused) bool {
	return (r.Step == "mounts" || r.Step == "view") &&
		slices.ContainsFunc([]error{unix.ELOOP, unix.ENOTDIR, unix.ENOENT, unix.EEXIST,
			unix.ESTALE}, func(err error) bool { return errors.Is(r.Err, err) })
}

// mend says what a person can do about a refusal.
func mend(r *refused) string {
	off := chain.NamespacesOff()
	_, noProc := os.Stat("/proc/self/exe")
	switch {
	case noProc != nil:
		return "there is no /proc here, as in a bare chroot: mount -t proc proc /proc"
	case replaced(r):
		return "a file or folder was replaced while the sandbox was made: run it again"
	case r.Step == "secrets":
		return "mount the root in a folder of / itself, such as /mnt"
	case r.Step == "locks":
		return "the kernel has no Landlock: boot one with CONFIG_SECURITY_LANDLOCK and landlock in lsm="
	case off != "":
		return off
	case errors.Is(r.Err, unix.EPERM) && r.Step == "namespaces":
		return "in a container, allow user namespaces: docker run --security-opt seccomp=unconfined, " +
			"or use --tier 2"
	}
	return "ua-sandbox --probe says what this system lets be done"
}
