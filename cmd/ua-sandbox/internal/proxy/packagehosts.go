package proxy

import (
	"net/url"
	"strings"
)

// registries are the hosts that package managers ask by default.
const registries = `
proxy.golang.org sum.golang.org
registry.npmjs.org registry.yarnpkg.com npm.jsr.io jsr.io
pypi.org files.pythonhosted.org conda.anaconda.org repo.anaconda.com
index.crates.io static.crates.io
repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org
rubygems.org index.rubygems.org repo.packagist.org api.nuget.org
hackage.haskell.org opam.ocaml.org repo.hex.pm builds.hex.pm pub.dev pkg.julialang.org
cran.r-project.org cloud.r-project.org www.cpan.org cpan.metacpan.org
deb.debian.org security.debian.org archive.ubuntu.com security.ubuntu.com ports.ubuntu.com
dl-cdn.alpinelinux.org`

// registryVars are the caller's variables with URLs of other registries.
const registryVars = `GOPROXY npm_config_registry NPM_CONFIG_REGISTRY YARN_NPM_REGISTRY_SERVER
PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_INDEX_URL UV_INDEX UV_EXTRA_INDEX_URL`

// packageHosts returns the hosts of the preset "packages". No settings file is read: the hosts
// that one names are for a list of the user's.
func packageHosts(getenv func(string) string) (rules []rule) {
	for name := range strings.FieldsSeq(registries) {
		rules = append(rules, rule{name: name, ports: webPorts})
	}
	for name := range strings.FieldsSeq(registryVars) {
		for _, text := range strings.FieldsFunc(getenv(name),
			func(r rune) bool { return strings.ContainsRune(", |\n", r) }) {
			if _, at, named := strings.Cut(text, "=http"); named { // UV_INDEX=name=URL
				text = "http" + at
			}
			if r, ok := urlRule(text); ok {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// urlRule returns the rule for the host of an http, https or ssh URL. ok is false for
// anything else, such as file: or direct.
func urlRule(text string) (r rule, ok bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return rule{}, false
	}
	ports := map[string]uint16{"http": 80, "https": 443, "ssh": 22, "git+ssh": 22, "ssh+git": 22}
	port := ports[u.Scheme]
	if port == 0 {
		return rule{}, false
	}
	if u.Port() != "" {
		if port, err = parsePort(u.Port()); err != nil {
			return rule{}, false
		}
	}
	h, err := parseHost(u.Hostname())
	if err != nil {
		return rule{}, false
	}
	return rule{name: h.name, addr: h.addr, ports: []uint16{port}}, true
}
