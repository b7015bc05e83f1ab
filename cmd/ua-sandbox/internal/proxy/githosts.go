package proxy

import (
	"path/filepath"
	"strings"

	"ua/internal/common/gitrules"
)

// gitHosts returns the hosts of the remotes (url, pushurl) and submodules of the
// repository around the working folder, after url.*.insteadOf. Without a repository there
// are none. Commands may write that config, so it must not open this machine to them: a
// remote at one of the machine's names, or at an address that is not public, is left out.
func (m presets) gitHosts() (rules []rule) {
	dir, ok := gitrules.ConfigFolder(m.dir, m.read)
	if !ok {
		return nil
	}
	for _, remote := range gitrules.Remotes(m.read(m.system("/etc/gitconfig")),
		m.read(filepath.Join(m.home, ".config/git/config")),
		m.read(filepath.Join(m.home, ".gitconfig")), m.read(filepath.Join(dir, "config"))) {
		r, ok := gitRule(remote.URL)
		if ok && !thisHost(r.name) && (!r.addr.IsValid() || inside(r.addr) == "") {
			rules = append(rules, r)
		}
	}
	return rules
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
