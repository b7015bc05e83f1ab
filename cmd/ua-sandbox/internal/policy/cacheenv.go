package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/confine"
)

// Setenv returns env with name set to value, in place of every other value.
func Setenv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(env, name+"="+value)
}

// A Cache is a variable for the cache of a tool that is read through: it lies below the
// private tmp and shows what the user's own cache holds.
type Cache struct {
	Name, Value string
	Overlays    [][2]string // the user's folder, and where it is shown
	Links       [][2]string // files of the user's, and where a link leads to them
	Copies      [][2]string // small files of the user's that a tool writes anew, and their places
}

// Caches returns the caches that a tool has to write although the policy does not allow
// it: Go's modules, cargo's registry and checkouts, of which other files in CARGO_HOME may
// hold a key, and those of toolCaches. An existing cache is read through only if a project
// needs it, since the mount takes half as long as everything else in a sandbox.
func (p *Policy) Caches(tmp string) (list []Cache) {
	if p.Profile == "none" || tmp == "" {
		return nil
	}
	list = p.goCaches(tmp)
	cargo := os.Getenv("CARGO_HOME")
	if cargo == "" {
		cargo = Absolute("~/.cargo")
	}
	if cargo = p.tree.realOr(cargo); !p.open(cargo) &&
		(!exists(cargo) || p.within("Cargo.toml")) {
		at := tmp + "/.cache/cargo"
		c := Cache{Name: "CARGO_HOME", Value: at,
			Links: [][2]string{{cargo + "/config.toml", at + "/config.toml"},
				{cargo + "/bin", at + "/bin"}}}
		for _, part := range []string{"/registry", "/git"} {
			c.Overlays = append(c.Overlays, [2]string{p.shown(cargo + part), at + part})
		}
		list = append(list, c)
	}
	return append(list, p.readThrough(tmp)...)
}

// goCaches returns the cache of Go's modules, and a GOPATH with what go(1) knows about
// the checksum database. go keeps that in pkg/sumdb of GOPATH, whatever GOMODCACHE says,
// and fetches no module whose sum it cannot check. The projects and programs of the
// user's GOPATH are linked.
func (p *Policy) goCaches(tmp string) (list []Cache) {
	path, more, _ := strings.Cut(os.Getenv("GOPATH"), string(filepath.ListSeparator))
	if path == "" {
		path = Absolute("~/go")
	}
	mod := os.Getenv("GOMODCACHE")
	if mod == "" {
		mod = filepath.Join(path, "pkg/mod")
	}
	mod, sums := p.tree.realOr(mod), p.tree.realOr(filepath.Join(path, "pkg/sumdb"))
	if exists(mod) && !p.within("go.mod", "go.work") {
		return nil
	}
	if !p.open(mod) {
		at := tmp + "/.cache/go-mod"
		list = append(list, Cache{Name: "GOMODCACHE", Value: at,
			Overlays: [][2]string{{p.shown(mod), at}}})
	}
	if src := p.tree.realOr(filepath.Join(path, "src")); !p.open(sums) &&
		!confine.Under(p.Dir, src) {
		at := tmp + "/.cache/go"
		c := Cache{Name: "GOPATH", Value: strings.TrimSuffix(at+string(filepath.ListSeparator)+more,
			string(filepath.ListSeparator))}
		for _, part := range []string{"/bin", "/src"} {
			c.Links = append(c.Links, [2]string{path + part, at + part})
		}
		files, _ := filepath.Glob(sums + "/*/latest")
		for _, file := range files {
			c.Copies = append(c.Copies, [2]string{file, at + "/pkg/sumdb/" + file[len(sums)+1:]})
		}
		list = append(list, c)
	}
	return list
}

// open reports whether the command may write path, and nothing around it is protected.
func (p *Policy) open(path string) bool {
	nearest := func(list []string) (most int) {
		for _, around := range list {
			if confine.Under(path, around) {
				most = max(most, len(around))
			}
		}
		return most
	}
	return p.Writable(path) && nearest(p.Write) > nearest(p.Protect)
}

// exists reports whether something is at path, even a broken link.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// shown returns the folder, or "" if a mask covers it or something in it. An overlay
// would show what is below the mounts on it.
func (p *Policy) shown(dir string) string {
	for _, m := range p.Masks {
		if confine.Under(dir, m.Path) || confine.Under(m.Path, dir) {
			return ""
		}
	}
	return dir
}

// TmpEnv points env at the private tmp, and moves there the caches that the policy does
// not let the command write. Profile none keeps the caller's caches.
func (p *Policy) TmpEnv(env []string, tmp string) []string {
	if tmp == "" {
		tmp = os.TempDir()
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		env = Setenv(env, name, tmp)
	}
	if p.Profile == "none" {
		return env
	}
	return p.moves(env, tmp)
}
