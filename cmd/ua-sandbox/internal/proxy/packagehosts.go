package proxy

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// packageHosts returns the hosts to which this machine's package managers are set.
func (m presets) packageHosts() (rules []rule) {
	var urls []string
	urls = append(urls, m.goURLs()...)
	urls = append(urls, m.npmURLs()...)
	urls = append(urls, m.pipURLs()...)
	urls = append(urls, m.cargoURLs()...)
	urls = append(urls, m.aptURLs()...)
	for _, text := range urls {
		if r, ok := urlRule(text); ok {
			rules = append(rules, r)
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

// goURLs returns GOPROXY and GOSUMDB from where go finds them: the environment, the
// user's go/env file, and the go.env of the toolchain.
func (m presets) goURLs() (urls []string) {
	config := m.getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(m.home, ".config")
	}
	texts := []string{m.read(filepath.Join(config, "go", "env"))}
	if m.find != nil {
		if tool := m.find("go"); tool != "" {
			texts = append(texts, m.read(filepath.Join(filepath.Dir(filepath.Dir(tool)), "go.env")))
		}
	}
	for _, name := range []string{"GOPROXY", "GOSUMDB"} {
		value := m.getenv(name)
		for _, text := range texts {
			if value == "" {
				value = assigned(text, name)
			}
		}
		urls = append(urls, goHosts(name, value)...)
	}
	return urls
}

// goHosts returns the URLs in a value of GOPROXY (a list separated by , and |) or of
// GOSUMDB (a name or a key, and perhaps a URL).
func goHosts(name, value string) (urls []string) {
	if name == "GOPROXY" {
		return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' })
	}
	words := strings.Fields(value)
	if len(words) == 0 || words[0] == "off" {
		return nil
	}
	if len(words) > 1 {
		return words[1:2]
	}
	host, _, _ := strings.Cut(words[0], "+")
	return []string{"https://" + host}
}

// assigned returns the value in the last line NAME=VALUE or NAME = VALUE.
func assigned(text, name string) (value string) {
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(left) == name {
			value = strings.Trim(strings.TrimSpace(right), `"'`)
		}
	}
	return value
}

// npmURLs returns registry= and @scope:registry= of the npmrc files. If no file names a
// registry for packages without a scope, it adds the default registries of the tools.
func (m presets) npmURLs() (urls []string) {
	urls = append(urls, m.getenv("npm_config_registry"), m.getenv("NPM_CONFIG_REGISTRY"))
	named := urls[0] != "" || urls[1] != ""
	for _, path := range m.npmFiles() {
		for line := range strings.Lines(m.read(path)) {
			key, value, ok := strings.Cut(line, "=")
			if key = strings.TrimSpace(key); ok &&
				(key == "registry" || strings.HasSuffix(key, ":registry")) {
				urls = append(urls, strings.Trim(strings.TrimSpace(value), `"'`))
				named = named || key == "registry"
			}
		}
	}
	if named {
		return urls
	}
	for _, tool := range []string{"npm", "pnpm", "bun", "yarn"} {
		urls = append(urls, m.defaults(tool)...)
	}
	return urls
}

// pipURLs returns the index URLs of pip and of uv, which has its own variables and files,
// and the default index if nothing replaces it.
func (m presets) pipURLs() (urls []string) {
	named := false
	for _, name := range []string{"PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX",
		"PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX"} {
		found := strings.Fields(m.getenv(name))
		named = named || len(found) > 0 && !strings.Contains(name, "EXTRA") && name != "UV_INDEX"
		for _, item := range found {
			if name, url, ok := strings.Cut(item, "="); ok && !strings.Contains(name, ":") {
				item = url // NAME=URL, as uv has it
			}
			urls = append(urls, item)
		}
	}
	for _, path := range m.pipFiles() {
		text := m.read(path)
		urls = append(urls, pipIndexes(text)...)
		named = named || assigned(text, "index-url") != "" || assigned(text, "index_url") != ""
	}
	for _, path := range []string{filepath.Join(m.home, ".config/uv/uv.toml"),
		m.system("/etc/uv/uv.toml")} {
		for line := range strings.Lines(m.read(path)) {
			urls = append(urls, quotedURLs(line)...)
			key, value, _ := strings.Cut(line, "=")
			key = strings.TrimSpace(key)
			named = named || key == "index-url" || key == "default" &&
				strings.Contains(value, "true")
		}
	}
	if named {
		return urls
	}
	for _, tool := range []string{"pip", "pip3", "uv"} {
		urls = append(urls, m.defaults(tool)...)
	}
	return urls
}

// pipIndexes returns index-url and extra-index-url of a pip.conf. Their values may
// continue on indented lines.
func pipIndexes(text string) (urls []string) {
	in := false
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, "=")
		if indented := line[0] == ' ' || line[0] == '\t'; !indented {
			key = strings.ReplaceAll(strings.TrimSpace(key), "_", "-")
			in = ok && (key == "index-url" || key == "extra-index-url" || key == "index")
			line = value
		}
		if in {
			urls = append(urls, strings.Fields(line)...)
		}
	}
	return urls
}

// cargoURLs returns the registries and sources in cargo's config, cargo's own unless one
// of those replaces it, and the indexes that cargo has already fetched.
func (m presets) cargoURLs() (urls []string) {
	home := m.getenv("CARGO_HOME")
	if home == "" {
		home = filepath.Join(m.home, ".cargo")
	}
	replaced := false // another source is in the place of crates.io
	for _, name := range []string{"config.toml", "config"} {
		text := m.read(filepath.Join(home, name))
		for line := range strings.Lines(text) {
			urls = append(urls, quotedURLs(line)...)
		}
		replaced = replaced || assigned(text, "replace-with") != ""
	}
	if !replaced {
		urls = append(urls, m.defaults("cargo")...)
	}
	indexes, _ := filepath.Glob(filepath.Join(home, "registry/index/*"))
	for _, dir := range indexes {
		name := filepath.Base(dir)
		if at := strings.LastIndexByte(name, '-'); at > 0 {
			urls = append(urls, "https://"+name[:at])
		}
		urls = append(urls, quotedURLs(m.read(filepath.Join(dir, "config.json")))...)
	}
	return urls
}

// quotedURLs returns the URLs in double quotes, without "sparse+" or "registry+" in
// front.
func quotedURLs(text string) (urls []string) {
	if strings.HasPrefix(strings.TrimSpace(text), "#") {
		return nil
	}
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 && strings.Contains(part, "://") {
			part = strings.TrimPrefix(strings.TrimPrefix(part, "sparse+"), "registry+")
			urls = append(urls, part)
		}
	}
	return urls
}

// aptURLs returns the sources of apt, in both of its formats (sources.list(5)).
func (m presets) aptURLs() (urls []string) {
	files := []string{m.system("/etc/apt/sources.list")}
	dir := m.system("/etc/apt/sources.list.d")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".list" || ext == ".sources" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	for _, path := range files {
		for line := range strings.Lines(m.read(path)) {
			if strings.HasPrefix(line, "deb") || strings.HasPrefix(line, "URIs:") {
				urls = append(urls, strings.Fields(line)...)
			}
		}
	}
	return urls
}
