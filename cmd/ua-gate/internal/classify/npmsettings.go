package classify

import "strings"

// settings tells the settings of a package manager by which programs run from
// others.
func (a *argv) settings() {
	verb, key := first(a.operands, "list").text, ""
	if verb == "get" || verb == "list" || verb == "ls" {
		a.secretKeys()
		return
	}
	if len(a.operands) > 1 {
		key, _, _ = strings.Cut(a.operands[1].text, "=")
	}
	if a.name == "npm pkg" && verb == "delete" {
		a.base = write
		return
	}
	if a.name == "npm pkg" && verb == "set" && !strings.HasPrefix(key, "scripts") &&
		!strings.HasPrefix(key, "config") {
		a.base = write
		return
	}

	if key == "path" && below(first(a.operands[min(2, len(a.operands)):], "").text) {
		a.base = write
		return
	}
	// Settings that change how much is printed or cached, and another server only if it is
	// a public registry.
	switch strings.ToLower(key) {
	case "registry", "npmregistryserver":
		for _, o := range a.operands[1:] {
			for _, own := range []string{"https://registry.npmjs.org",
				"https://registry.yarnpkg.com",
				"https://registry.npmmirror.com"} {
				if strings.Contains(o.text, own) {
					a.base = write
					return
				}
			}
		}
	case "loglevel", "color", "progress", "fund", "audit", "save-exact", "save-prefix",
		"engine-strict", "package-lock", "fetch-retries", "fetch-timeout", "maxsockets", "nodelinker",
		"enabletelemetry", "enableglobalcache", "compressionlevel", "version-git-tag", "init-license",
		"init-author-name", "init-author-email", "init-version", "virtualenvs.in-project",
		"virtualenvs.create", "jobs", "without", "deployment", "frozen":
		a.base = write
		return
	}
	a.p.add(runsHidden, a.name, "the setting "+show(key)+" may run programs later")
}

// secretKeys is the rule for a program that prints settings by their names.
func (a *argv) secretKeys() {
	for _, o := range a.operands {
		low := strings.ToLower(o.text)
		for _, mark := range []string{"_auth", "authtoken", "extraheader", "token", "passw",
			"secret", "apikey",
			"api_key"} {
			if strings.Contains(low, mark) {
				a.p.add(readsSecrets, a.name, "the setting "+show(o.text)+" is a secret")
				a.out |= fromSecret
			}
		}
	}
}

// oneKey is a command that shows the setting which it is given alone, and else sets it.
func (a *argv) oneKey() {
	if len(a.operands) == 1 && len(a.used) == 0 && a.strange == 0 && a.operands[0].known() &&
		strings.Trim(a.operands[0].text, "abcdefghijklmnopqrstuvwxyz-") == "" &&
		!inAny(" auth oauth basic bearer token key ", keyWords(a.operands[0].text)) {
		a.base = readOnly
	}
	a.secretKeys()
}

// sources is the rule for a setting that says where packages come from: an address
// there is trusted from then on.
func (a *argv) sources() {
	for _, wd := range a.words {
		if strings.Contains(wd.text, "://") {
			a.p.add(runsHidden, a.name, "packages come from "+show(wd.text)+" from then on")
		}
	}
}
