package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/confine"
)

// MaxCopy is the most bytes of a file that is copied. Go's files are about 200 bytes long.
const MaxCopy = 64 << 10

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

// A toolCache is a folder in a home where a tool keeps what it has fetched, and the variable
// that moves it.
type toolCache struct {
	variable string
	usual    string // its place
	moved    string // the same, below the private tmp
	markers  string // names of files, or * and their ends, by which a project of the tool is known
	// root says that the folder also holds settings: without a project of the tool it stays
	// where it is if it exists.
	root bool
	// form is the variable's value, with {} for the place and {old} for the user's value; "" is
	// the place alone.
	form string
}

// toolCaches lists them. Tools that obey XDG_CACHE_HOME (poetry, deno, ccache and others) need
// a row only to read through what the user has.
var toolCaches = []toolCache{
	{variable: "XDG_CACHE_HOME", usual: "~/.cache", moved: ""},
	{variable: "GOCACHE", usual: "~/.cache/go-build", moved: "go-build"},
	{variable: "PIP_CACHE_DIR", usual: "~/.cache/pip", moved: "pip",
		markers: "pyproject.toml requirements.txt setup.py"},
	{variable: "UV_CACHE_DIR", usual: "~/.cache/uv", moved: "uv",
		markers: "pyproject.toml requirements.txt uv.lock"},
	{variable: "npm_config_cache", usual: "~/.npm", moved: "npm", markers: "package.json"},
	{variable: "PNPM_HOME", usual: "~/.local/share/pnpm", moved: "pnpm", markers: "package.json"},
	{variable: "YARN_GLOBAL_FOLDER", usual: "~/.yarn/berry", moved: "yarn", markers: "yarn.lock"},
	{variable: "BUN_INSTALL_CACHE_DIR", usual: "~/.bun/install/cache", moved: "bun",
		markers: "bun.lock bun.lockb"},
	{variable: "MAVEN_OPTS", usual: "~/.m2/repository", moved: "m2", markers: "pom.xml",
		form: "{old} -Dmaven.repo.local={}"},
	{variable: "MAVEN_USER_HOME", usual: "~/.m2", moved: "maven", markers: "mvnw"},
	{variable: "GRADLE_USER_HOME", usual: "~/.gradle", moved: "gradle", root: true,
		markers: "build.gradle build.gradle.kts settings.gradle settings.gradle.kts"},
	{variable: "COMPOSER_CACHE_DIR", usual: "~/.cache/composer", moved: "composer",
		markers: "composer.json"},
	{variable: "NUGET_PACKAGES", usual: "~/.nuget/packages", moved: "nuget",
		markers: "*.sln *.csproj *.fsproj"},
	{variable: "DOTNET_CLI_HOME", usual: "~/.dotnet", moved: "dotnet"},
	{variable: "CABAL_DIR", usual: "~/.cabal", moved: "cabal", root: true,
		markers: "cabal.project *.cabal"},
	{variable: "STACK_ROOT", usual: "~/.stack", moved: "stack", root: true, markers: "stack.yaml"},
	{variable: "OPAMROOT", usual: "~/.opam", moved: "opam", root: true,
		markers: "dune-project *.opam"},
	{variable: "HEX_HOME", usual: "~/.hex", moved: "hex", root: true, markers: "mix.exs"},
	{variable: "MIX_HOME", usual: "~/.mix", moved: "mix", root: true, markers: "mix.exs"},
	{variable: "BUNDLE_USER_HOME", usual: "~/.bundle", moved: "bundle", root: true,
		markers: "Gemfile"},
	{variable: "PUB_CACHE", usual: "~/.pub-cache", moved: "pub", markers: "pubspec.yaml"},
	{variable: "CONAN_HOME", usual: "~/.conan2", moved: "conan", root: true,
		markers: "conanfile.txt conanfile.py"},
	{variable: "JULIA_DEPOT_PATH", usual: "~/.julia", moved: "julia", form: "{}:{old}"},
	{variable: "UV_PYTHON_INSTALL_DIR", usual: "~/.local/share/uv/python", moved: "uv-python",
		root: true, markers: "pyproject.toml"},
}

// place returns where the user's folder is.
func (c toolCache) place(p *Policy) string {
	at := os.Getenv(c.variable)
	if at == "" || c.form != "" {
		at = Absolute(c.usual)
	}
	return p.tree.realOr(at)
}

// value returns the variable's value for a place.
func (c toolCache) value(place string) string {
	if c.form == "" {
		return place
	}
	text := strings.ReplaceAll(c.form, "{old}", os.Getenv(c.variable))
	return strings.TrimSpace(strings.ReplaceAll(text, "{}", place))
}

// below returns where the folder is moved to.
func (c toolCache) below(tmp string) string { return filepath.Join(tmp, ".cache", c.moved) }

// moves sets the variables of caches in env that the policy does not let the command write.
func (p *Policy) moves(env []string, tmp string) []string {
	for _, c := range toolCaches {
		place := c.place(p)
		switch {
		case p.open(place):
			if c.form == "" {
				env = Setenv(env, c.variable, place)
			}
		case !c.root || !exists(place):
			env = Setenv(env, c.variable, c.value(c.below(tmp)))
		}
	}
	return env
}

// readThrough returns the caches that show what the user's own hold, because a project of
// their tool is here.
func (p *Policy) readThrough(tmp string) (list []Cache) {
	for _, c := range toolCaches {
		if c.markers == "" {
			continue
		}
		place, at := c.place(p), c.below(tmp)
		if exists(place) && !p.open(place) && p.within(strings.Fields(c.markers)...) {
			list = append(list, Cache{Name: c.variable, Value: c.value(at),
				Overlays: [][2]string{{p.shown(place), at}}})
		}
	}
	return list
}

// maxBeside is how many folders in the working folder are looked into for a project.
const maxBeside = 64

// within reports whether one of the files marks a project: in the working folder, above
// it, or one level below. The folders are listed once.
func (p *Policy) within(patterns ...string) bool {
	if p.beside == nil {
		p.beside = map[string]bool{}
		for at := p.Dir; ; at = filepath.Dir(at) {
			p.listAround(at)
			if at == "/" {
				break
			}
		}
		entries, _ := os.ReadDir(p.Dir)
		folders := 0
		for _, e := range entries {
			if e.IsDir() && folders < maxBeside {
				folders++
				p.listAround(filepath.Join(p.Dir, e.Name()))
			}
		}
	}
	return slices.ContainsFunc(patterns, func(name string) bool { return p.beside[name] })
}

// listAround adds the names in a folder, and for each the pattern that its end fits.
func (p *Policy) listAround(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	names, _ := f.Readdirnames(listMax)
	for _, name := range names {
		p.beside[name] = true
		if end := filepath.Ext(name); end != "" {
			p.beside["*"+end] = true
		}
	}
}
