package classify

import "strings"

// settings tells the settings of a package manager by which programs run from
// others.
func (a *argv) settings() {
	verb, key := first(a.operands, "list").text, ""
	if verb == "get" || verb == "list" || verb == "ls" {
		for _, o := range a.operands[min(1, len(a.operands)):] {
			if low := strings.ToLower(o.text); strings.Contains(low, "auth") || strings.Contains(low, "token") || strings.Contains(low, "passw") || strings.Contains(low, "secret") {
				a.p.raise(destructive, a.name+" get", "the setting "+show(o.text)+" is a secret")
				a.out |= fromSecret
			}
		}
		return
	}
	if len(a.operands) > 1 {
		key, _, _ = strings.Cut(a.operands[1].text, "=")
	}
	if a.name == "npm pkg" && verb == "set" && !strings.HasPrefix(key, "scripts") && !strings.HasPrefix(key, "config") {
		a.base = write
		return
	}
	switch strings.ToLower(key) {
	case "registry", "npmregistryserver":
		for _, o := range a.operands[1:] {
			for _, own := range []string{"https://registry.npmjs.org", "https://registry.yarnpkg.com", "https://registry.npmmirror.com"} {
				if strings.Contains(o.text, own) {
					a.base = write
					return
				}
			}
		}
	case "loglevel", "color", "progress", "fund", "audit", "save-exact", "save-prefix", "engine-strict", "package-lock", "fetch-retries", "fetch-timeout", "maxsockets", "nodelinker", "enabletelemetry", "enableglobalcache", "compressionlevel", "version-git-tag", "init-license", "init-author-name", "init-author-email", "init-version", "virtualenvs.in-project", "virtualenvs.create", "path", "jobs", "without", "deployment", "frozen":
		a.base = write
		return
	}
	a.p.raise(destructive, a.name, "the setting "+show(key)+" may run programs later")
}
