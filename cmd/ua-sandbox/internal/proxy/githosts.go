package proxy

import (
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/repository"
)

// gitHosts returns the hosts of the remotes (url, pushurl) and submodules of the
// repository around the working folder, after url.*.insteadOf. Without a repository there
// are none. Commands may write that config, so it must not open this machine to them: a
// remote at one of the machine's names, or at an address that is not public, is left out.
func (m presets) gitHosts() (rules []rule) {
	dir, ok := m.gitDir()
	if !ok {
		return nil
	}
	var c gitConfig
	for _, path := range []string{
		m.system("/etc/gitconfig"), filepath.Join(m.home, ".config/git/config"),
		filepath.Join(m.home, ".gitconfig"),
		filepath.Join(dir, "config"),
	} {
		c.parse(m.read(path))
	}
	for _, remote := range c.urls {
		r, ok := gitRule(c.rewrite(remote))
		if ok && !thisHost(r.name) && (!r.addr.IsValid() || inside(r.addr) == "") {
			rules = append(rules, r)
		}
	}
	return rules
}

// gitDir returns the folder with the repository's config: .git, or the common folder of a
// linked worktree.
func (m presets) gitDir() (string, bool) {
	for at := m.dir; ; at = filepath.Dir(at) {
		dir := filepath.Join(at, ".git")
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			to, ok := strings.CutPrefix(m.read(dir), "gitdir: ")
			if !ok {
				return "", false
			}
			dir = within(at, strings.TrimSpace(to))
		}
		if err == nil {
			if common := strings.TrimSpace(m.read(filepath.Join(dir, "commondir"))); common != "" {
				dir = within(dir, common)
			}
			return dir, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// within returns path, taken from dir if it is relative.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// A gitConfig is the part of git's config files that matters here. git itself (git config
// --get-regexp) is not used: it would wait for ever at a FIFO that a command has left in
// place of a file, and it takes as long to start as the whole policy takes.
type gitConfig struct {
	urls    []string
	instead [][2]string // what a URL begins with, and what stands in its place
}

// parse adds a file's settings, without what it includes. Of a file that git refuses
// it takes what stands before the fault.
func (c *gitConfig) parse(text string) {
	list, _ := repository.Settings([]byte(text))
	for _, set := range list {
		section, rest, _ := strings.Cut(set.Name, ".")
		at := max(strings.LastIndexByte(rest, '.'), 0)
		name, key := rest[:at], strings.TrimPrefix(rest[at:], ".")
		switch {
		case set.True:
		case (section == "remote" || section == "submodule") && (key == "url" || key == "pushurl"):
			c.urls = append(c.urls, set.Value)
		case section == "url" && (key == "insteadof" || key == "pushinsteadof"):
			c.instead = append(c.instead, [2]string{set.Value, name})
		}
	}
}

// rewrite replaces the longest insteadOf that the URL begins with.
func (c *gitConfig) rewrite(url string) string {
	best := [2]string{}
	for _, in := range c.instead {
		if strings.HasPrefix(url, in[0]) && len(in[0]) > len(best[0]) {
			best = in
		}
	}
	return best[1] + strings.TrimPrefix(url, best[0])
}

// gitRule returns the rule for a remote: a URL, or the forms of ssh USER@HOST:PATH and
// [USER@HOST:PORT]:PATH. ok is false for a path on this machine, and for transports that
// no proxy carries.
func gitRule(remote string) (rule, bool) {
	if strings.Contains(remote, "://") {
		return urlRule(remote)
	}
	text, path, ok := strings.Cut(remote, ":")
	if inner, bracketed := strings.CutPrefix(remote, "["); bracketed {
		text, path, ok = strings.Cut(inner, "]:")
	}
	if !ok || strings.Contains(text, "/") || strings.HasPrefix(path, ":") {
		return rule{}, false
	}
	h, port, err := parseHostPort(text[strings.LastIndexByte(text, '@')+1:], 22)
	if err != nil {
		return rule{}, false
	}
	return rule{name: h.name, addr: h.addr, ports: []uint16{port}}, true
}
