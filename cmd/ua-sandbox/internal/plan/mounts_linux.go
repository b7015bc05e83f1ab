package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// sharedMemory is the folder of POSIX shared memory (shm_overview(7)). A sandbox gets a
// new one.
const sharedMemory = "/dev/shm"

// tmpName is the name of the private tmp in a hidden folder that also shows other places.
// A nested read-only profile can write TMPDIR and everything below it, so no workspace
// may lie there.
const tmpName = "ua-sandbox-tmp"

// Tmps are the machine's shared temporary folders.
var Tmps = []string{"/tmp", "/var/tmp"}

// mounts returns the mounts that make the policy's view, in the order in which they are
// made: shorter paths first, so that each lies on its parent. Inside a hidden folder the
// places in show stay visible.
func mounts(p *access.Policy, hidden, show []string) (list []layer.Mount) {
	var emptied []string
	if p.Profile != verdict.ProfileNone {
		emptied = []string{sharedMemory}
	}
	covered := func(path string) bool {
		return slices.ContainsFunc(slices.Concat(hidden, emptied),
			func(h string) bool { return path != h && confine.Under(path, h) })
	}
	add := func(kind layer.Kind, path string) {
		// A link may lead to what is not seen here.
		list = append(list, layer.Mount{Path: path, Kind: kind, Dir: p.IsDir(path),
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
		// A folder that is a mount cannot be renamed, and with it what is protected in it.
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
			func(m access.Mask) bool { return confine.Under(path, m.Path) })
	})
	home, err := p.Existing(p.Home)
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

// tmpMounts returns the mounts that replace the machine's shared temporary folders by the
// private tmp. If other mounts lie in such a folder, the tmp is a folder beside them.
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

// writableAnyway reports whether path can be written because a folder above it can, and
// nothing between them hides or protects it. A mount of its own would keep programs such
// as git-config(1) from replacing it with a new file.
func writableAnyway(p *access.Policy, path string, hidden []string) bool {
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

// fixed returns the paths in writable folders whose parents must keep their names. A
// secret or socket that was moved would not be found by the next run.
func fixed(p *access.Policy) []string {
	paths := slices.Clone(p.Protect)
	if p.Writable("/") {
		return paths
	}
	for _, m := range p.Masks {
		paths = append(paths, m.Path)
	}
	return paths
}

// named returns the paths that the command has to see although they lie in a hidden
// folder: its own file, this program, and what variables name.
func named(p *access.Policy, path string, environ []string) (list []string) {
	add := func(path string) {
		if real, err := p.Existing(path); filepath.IsAbs(path) && err == nil &&
			!slices.Contains(list, real) {
			list = append(list, real)
		}
	}
	for _, file := range []string{path, self()} {
		if dir := filepath.Dir(file); slices.Contains(Tmps, dir) {
			add(file)
		} else {
			add(dir)
		}
	}
	// OLDPWD leads nowhere that the command has to go.
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name == "OLDPWD" || !strings.Contains(value, "/tmp/") {
			continue
		}
		for _, path := range filepath.SplitList(value) {
			if slices.ContainsFunc(Tmps, func(t string) bool {
				return path != t &&
					confine.Under(path, t)
			}) {
				add(path)
			}
		}
	}
	return list
}

// self returns the path of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "/"
	}
	return path
}
