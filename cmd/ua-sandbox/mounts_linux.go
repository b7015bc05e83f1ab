package main

import (
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// sharedMemory is the folder of POSIX shared memory (shm_overview(7)), of which a sandbox
// has a new one.
const sharedMemory = "/dev/shm"

// mounts returns those that make the policy's view, in their order. In a
// hidden folder the places of show stay visible.
func mounts(p *policy.Policy, hidden, show []string) (list []layer.Mount) {
	var emptied []string
	if p.Profile != verdict.ProfileNone {
		emptied = []string{sharedMemory}
	}
	covered := func(path string) bool {
		return slices.ContainsFunc(slices.Concat(hidden, emptied),
			func(h string) bool { return path != h && confine.Under(path, h) })
	}
	add := func(kind layer.Kind, path string) {
		list = append(list, layer.Mount{Path: path, Kind: kind, Dir: isDir(path),
			Made: covered(path)})
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
	list = append(list, tmpMounts(hidden, list)...)
	slices.SortStableFunc(list, func(a, b layer.Mount) int { return len(a.Path) - len(b.Path) })
	return list
}

// tmpMounts returns the mounts that put the private tmp in the place of the machine's
// shared folders. Where others of the mounts lie in one, the tmp is a folder beside them.
func tmpMounts(hidden []string, others []layer.Mount) (list []layer.Mount) {
	for i, path := range hidden {
		if !slices.ContainsFunc(others, func(c layer.Mount) bool {
			return c.Made && c.Path != path && confine.Under(c.Path, path)
		}) {
			list = append(list, layer.Mount{Path: path, Kind: layer.PrivateTmp, Dir: true})
			continue
		}
		list = append(list, layer.Mount{Path: path, Kind: layer.Tmpfs, Dir: true})
		if i == 0 {
			list = append(list, layer.Mount{Path: filepath.Join(path, tmpName),
				Kind: layer.PrivateTmp, Dir: true, Made: true})
		}
	}
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
	between := slices.Concat(p.Protect, hidden, []string{sharedMemory})
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
