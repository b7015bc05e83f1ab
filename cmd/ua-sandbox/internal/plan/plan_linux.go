// Package plan turns a policy into what init builds: mounts, locks, limits, an environment.
package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/confine"
	"ua/internal/common/execwrap"
	"ua/internal/common/procfs"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/verdict"
)

// A Plan is everything that init needs to know, prepared by the parent. Its argv is already
// that of the command. Every field is sent (package control).
type Plan struct {
	Tier     int
	Profile  verdict.Profile
	Dir      string // the working directory
	Path     string // the command's file
	View     layer.View
	Files    confine.Files
	Network  access.Network
	Capture  bool     // of DNS and of ports 80 and 443
	Allow    []string // the proxy's hosts
	Secret   string   // of the proxy
	Limits   access.Limits
	Ulimits  []ulimit.Limit // of init, too
	Environ  []string       // NAME=VALUE, of the command
	Caches   []access.Cache
	Grants   []string // what the command may write by name
	TmpDir   string   // the command's TMPDIR
	Fds      []int    // kept open
	Terminal bool     // standard input is a terminal, which the command gets
	Check    bool     // build all, run nothing
	Override bool     // the command may use the files of the folder's owners
	Remove   bool     // the private tmp, should the parent not be there to do it
}

// New returns the plan for a tier. tmp is the private folder of this run outside, ""
// if it is in memory.
func New(p *access.Policy, tier int, path, tmp string, environ []string) *Plan {
	pl := &Plan{Override: p.Owners.Any(),
		Tier: tier, Profile: p.Profile, Dir: p.Dir, Path: path, Network: p.Network,
		Capture: p.Capture, Allow: p.Allow,
		Limits: p.Limits, Grants: p.Grants, TmpDir: tmp, Remove: tmp != "" && p.Tmp.Dir == ""}
	tmps := []string{tmp}
	if tier >= 3 {
		tmps = pl.view(p, tmp, environ)
		if p.Profile != verdict.ProfileNone {
			pl.Grants = append(slices.Clip(pl.Grants), tmps...) // not only TMPDIR: a literal /tmp/x, too
		}
	}
	pl.Files = files(p, tier, tmps)
	if p.Covers(p.Shared) {
		// A rule on the folder itself would end with its first overlay. All else in the one
		// around it stays read-only by its mount.
		around := filepath.Dir(p.Shared)
		pl.Files.Write = append(slices.Clip(pl.Files.Write), around)
		pl.Grants = append(slices.Clip(pl.Grants), around)
	}
	pl.Environ = access.Setenv(slices.Clone(environ), run.EnvSandbox, strconv.Itoa(tier))
	pl.Environ = p.TmpEnv(pl.Environ, pl.TmpDir)
	if home := safefile.Follow(p.Home); tier >= 3 && slices.ContainsFunc(tmps,
		func(tmp string) bool { return home != p.Home && confine.Under(p.Home, tmp) }) {
		pl.Environ = access.Setenv(pl.Environ, "HOME", home) // the link on the way is not seen inside
	}
	if tier >= 3 {
		pl.Caches = p.Caches(pl.TmpDir)
	} else if tier == 2 {
		pl.Limits = Besides(pl.Limits)
	}
	return pl
}

// Besides adds the user's other processes to the limit on processes. Outside a user
// namespace the kernel counts them too (setrlimit(2), RLIMIT_NPROC).
func Besides(l access.Limits) access.Limits {
	if l.Pids != 0 {
		l.Pids += uint64(procfs.Running(0))
	}
	return l
}

// view plans the view, and returns the names of the private tmp in it.
func (pl *Plan) view(p *access.Policy, tmp string, environ []string) (names []string) {
	open := p.Profile == verdict.ProfileNone
	pl.View = layer.View{Open: open, Whole: p.Writable("/"), OwnProc: pl.Tier == 4, Tmp: tmp}
	if p.Limits.Pids != 0 && os.Getuid() == 0 {
		// When the IDs are used up, the kernel starts again at 300 (RESERVED_PIDS in
		// kernel/pid.c), so only those above are available.
		pl.View.PidMax = 300 + p.Limits.Pids
		if execwrap.TrueRoot() {
			pl.Limits.Pids = 0 // RLIMIT_NPROC does not hold for root (setrlimit(2)), and costs a process
		}
	}
	for _, dir := range Tmps {
		if real, err := p.Existing(dir); err == nil && !open && !p.Writable(real) &&
			!slices.Contains(names, real) {
			names = append(names, real)
		}
	}
	pl.View.Mounts = mounts(p, names, named(p, pl.Path, environ))
	if resolv, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && p.Capture {
		pl.View.Mounts = append(pl.View.Mounts,
			layer.Mount{Path: resolv, Kind: layer.FileOf, Text: "nameserver 127.0.0.1\n"})
	}
	if !open && os.Geteuid() != 0 {
		pl.View.Mounts = append(pl.View.Mounts, sshIncluded()...)
	}
	if !open {
		// The file names the keys of the user outside (keyrings(7)).
		pl.View.Mounts = append(pl.View.Mounts, layer.Mount{Path: "/proc/keys", Kind: layer.Masked})
	}
	if len(names) == 0 {
		return []string{tmp}
	}
	pl.TmpDir = names[0]
	if in := filepath.Join(pl.TmpDir, tmpName); slices.ContainsFunc(pl.View.Mounts,
		func(c layer.Mount) bool { return c.Path == in }) {
		pl.TmpDir = in
	}
	return names
}

// Locks returns the confinement for the thread of the command. What a view cannot do at a
// lower tier, Landlock and the filter have to do.
func (pl *Plan) Locks() layer.Confinement {
	view, host := pl.Tier >= 3, pl.Network == access.NetHost
	c := layer.Confinement{Keyring: true, Caps: layer.NoCaps}
	switch {
	case pl.Override && view:
		c.Caps = layer.OwnerCaps
	case pl.Override: // no mount keeps modes and owners of the machine's files
		c.Caps = layer.AccessCaps
	}
	// Such a root is there to install packages, and needs its capabilities for that.
	if pl.Profile == verdict.ProfileNone && pl.Tier == 3 && os.Getuid() == 0 {
		c.Caps = layer.RootCaps
	}
	if pl.Tier >= 2 {
		rules := append(pl.Files.Rules(), confine.Handed()...)
		c.Landlock = &confine.Landlock{Files: true, TCP: !view && !host, Scopes: !host, Rules: rules}
	}
	if host {
		return c
	}
	c.Filter = &confine.Filter{Surface: true, SelfOnly: pl.Tier < 4}
	// Without namespaces the filter has to keep commands from IPC and from the network.
	if !view {
		c.Filter.NoIPC = true
		c.Filter.NoMeta = pl.Files.ReadOnly
		c.Filter.NoInet = true
	}
	return c
}
