package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
