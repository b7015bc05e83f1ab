package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// A plan is all that init needs to know, worked out by the parent. Its argv and
// environment are already those of the command. Every field crosses (wire.go).
type plan struct {
	Tier     int
	Profile  verdict.Profile
	Dir      string // the working directory
	Path     string // the command's file
	View     layer.View
	Files    confine.Files
	Network  policy.Network
	Capture  bool     // of DNS and of ports 80 and 443
	Allow    []string // the proxy's hosts
	Proxy    string   // where the proxy is, when it stands before init does
	Secret   string   // of the proxy
	Ports    []uint16 // may be connected to at tier 2
	Limits   policy.Limits
	Environ  []string // NAME=VALUE, to set
	Caches   []policy.Cache
	Grants   []string // what the command may write by name
	TmpDir   string   // the command's TMPDIR
	Fds      []int    // kept open
	Terminal bool     // standard input is a terminal, which the command gets
	Check    bool     // build all, run nothing
	Remove   bool     // the private tmp, should the parent not be there to do it
}

// tmpName is the private tmp's name in a hidden folder that shows other places
// too: a nested read-only profile can write TMPDIR and all below it, so that no
// workspace may lie there.
const tmpName = "ua-sandbox-tmp"

// tmps are the machine's shared temporary folders.
var tmps = []string{"/tmp", "/var/tmp"}

// newPlan returns the plan for a tier. tmp is the private folder of the run on the
// outside, "" when it is in memory.
func newPlan(p *policy.Policy, tier int, path, tmp string, environ []string) *plan {
	pl := &plan{Tier: tier, Profile: p.Profile, Dir: p.Dir, Path: path, Network: p.Network,
		Capture: p.Capture, Allow: p.Allow,
		Limits: p.Limits, Grants: p.Grants, TmpDir: tmp, Remove: tmp != "" && p.Tmp.Dir == ""}
	tmps := []string{tmp}
	if tier >= 3 {
		tmps = pl.view(p, tmp, environ)
	}
	pl.Files = files(p, tier, tmps)
	pl.Environ = p.TmpEnv(nil, pl.TmpDir)
	if tier >= 3 {
		pl.Caches = p.Caches(pl.TmpDir)
	}
	return pl
}

// trueRoot reports whether uid 0 is the machine's root here, and not somebody's in a user
// namespace (user_namespaces(7), uid_map).
func trueRoot() bool {
	m, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && slices.Equal(strings.Fields(string(m)), []string{"0", "0", "4294967295"})
}

// view plans the view and returns the private tmp's names in it.
func (pl *plan) view(p *policy.Policy, tmp string, environ []string) (names []string) {
	open := p.Profile == verdict.ProfileNone
	pl.View = layer.View{Open: open, Whole: p.Writable("/"), OwnProc: pl.Tier == 4, Tmp: tmp}
	if p.Limits.Pids != 0 && os.Getuid() == 0 {
		// When the numbers are used up the kernel begins again at 300
		// (RESERVED_PIDS in its kernel/pid.c): what is above is what stays.
		pl.View.PidMax = 300 + p.Limits.Pids
		if trueRoot() {
			pl.Limits.Pids = 0 // RLIMIT_NPROC does not hold for root (setrlimit(2)), and costs a process
		}
	}
	for _, dir := range tmps {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !open && !p.Writable(real) &&
			!slices.Contains(names, real) {
			names = append(names, real)
		}
	}
	pl.View.Mounts = mounts(p, names, named(pl.Path, environ))
	if resolv, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && p.Capture {
		pl.View.Mounts = append(pl.View.Mounts,
			layer.Mount{Path: resolv, Kind: layer.FileOf, Text: "nameserver 127.0.0.1\n"})
	}
	if !open {
		// Names the keys of the outside.
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

// mounts returns those that make the policy's view, in their order. In a
// hidden folder the places of show stay visible.
func mounts(p *policy.Policy, hidden, show []string) (list []layer.Mount) {
	var emptied []string
	if p.Profile != verdict.ProfileNone {
		emptied = []string{"/dev/shm"} // a new one
	}
	covered := func(path string) bool {
		return slices.ContainsFunc(slices.Concat(hidden, emptied),
			func(h string) bool { return path != h && confine.Under(path, h) })
	}
	add := func(kind layer.Kind, path string) {
		list = append(list, layer.Mount{Path: path, Kind: kind, Dir: isDir(path), Made: covered(path)})
	}
	for _, m := range p.Masks {
		kind, made := layer.Masked, false
		if m.Dir && slices.ContainsFunc(p.Shown(),
			func(path string) bool { return confine.Under(path, m.Path) }) {
			kind, made, emptied = layer.MaskedAround, covered(m.Path), append(emptied, m.Path)
		}
		list = append(list, layer.Mount{Path: m.Path, Kind: kind, Dir: m.Dir, Made: made})
	}
	for _, path := range p.Write {
		if path != "/" && !writableAnyway(p, path, hidden) {
			add(layer.Bind, path)
		}
	}
	for _, path := range fixed(p) {
		// A mount can't be moved away, and what is guarded in it.
		for at := filepath.Dir(path); at != "/" && p.Writable(at) &&
			!slices.ContainsFunc(list,
				func(c layer.Mount) bool { return c.Path == at }); at = filepath.Dir(at) {
			add(layer.Bind, at)
		}
	}
	for _, path := range p.Protect {
		add(layer.ReadOnlyBind, path)
	}
	show = slices.DeleteFunc(show, func(path string) bool {
		return slices.ContainsFunc(p.Masks,
			func(m policy.Mask) bool { return confine.Under(path, m.Path) })
	})
	home, err := filepath.EvalSymlinks(p.Home)
	if err != nil {
		home = p.Dir // there is none to show
	}
	for _, path := range slices.Concat([]string{p.Dir, home}, p.Read, p.Sockets, show) {
		if covered(path) && !p.Writable(path) && !slices.ContainsFunc(list,
			func(c layer.Mount) bool { return c.Path == path }) {
			add(layer.ReadOnlyBind, path)
		}
	}
	for i, path := range hidden {
		if !slices.ContainsFunc(list, func(c layer.Mount) bool {
			return c.Made && c.Path != path &&
				confine.Under(c.Path, path)
		}) {
			list = append(list, layer.Mount{Path: path, Kind: layer.PrivateTmp, Dir: true})
			continue
		}
		list = append(list, layer.Mount{Path: path, Kind: layer.Tmpfs, Dir: true})
		if i == 0 {
			list = append(list, layer.Mount{Path: filepath.Join(path, tmpName), Kind: layer.PrivateTmp,
				Dir: true, Made: true})
		}
	}
	slices.SortStableFunc(list, func(a, b layer.Mount) int { return len(a.Path) - len(b.Path) })
	return list
}

// writableAnyway reports whether path can be written because a folder above it can,
// with nothing between that hides or keeps it: a mount of its own would keep programs
// such as git-config(1) from putting a new file in its place.
func writableAnyway(p *policy.Policy, path string, hidden []string) bool {
	above := ""
	for _, w := range p.Write {
		if w != path && confine.Under(path, w) && len(w) > len(above) {
			above = w
		}
	}
	between := slices.Concat(p.Protect, hidden, []string{"/dev/shm"})
	for _, m := range p.Masks {
		between = append(between, m.Path)
	}
	return above != "" && !slices.ContainsFunc(between,
		func(b string) bool { return confine.Under(path, b) && len(b) >= len(above) })
}

// fixed returns the paths in writable folders whose folders must keep their names:
// a secret or a socket that is moved is not found by the next run.
func fixed(p *policy.Policy) []string {
	paths := slices.Clone(p.Protect)
	if p.Writable("/") {
		return paths
	}
	for _, m := range p.Masks {
		paths = append(paths, m.Path)
	}
	return paths
}

// named returns the places that the command needs to see though they lie in a
// hidden folder: its own file, this program, and what variables lead to.
func named(path string, environ []string) (list []string) {
	add := func(path string) {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(real) &&
			!slices.Contains(list, real) {
			list = append(list, real)
		}
	}
	for _, file := range []string{path, self()} {
		if dir := filepath.Dir(file); slices.Contains(tmps, dir) {
			add(file)
		} else {
			add(dir)
		}
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name == "OLDPWD" || !strings.Contains(value, "/tmp/") {
			continue
		}
		for _, path := range filepath.SplitList(value) {
			if slices.ContainsFunc(tmps, func(t string) bool {
				return path != t &&
					confine.Under(path, t)
			}) {
				add(path)
			}
		}
	}
	return list
}

// self returns this program's file.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "/"
	}
	return path
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
