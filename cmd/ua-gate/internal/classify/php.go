package classify

import "strings"

// phpSettings are those of -d: some name files whose code runs.
func (a *argv) phpSettings() {
	if at, serves := a.value("-S"); serves {
		if !thisMachine(at.text) {
			a.p.raise(network, "php -S", "php -S talks to other machines")
		}
		for _, router := range a.operands {
			a.scriptFile(router)
		}
	}
	for _, u := range a.used {
		key, val, _ := strings.Cut(strings.ToLower(u.val.text), "=")
		if u.name != "-d" && u.name != "--define" {
			continue
		}
		for _, runs := range []string{"prepend", "append", "extension", "preload", "sendmail",
			"include_path", "user_ini", "unserialize_callback"} {
			if strings.Contains(key, runs) && val != "" && val != "off" && val != "0" {
				a.p.raise(destructive, "php -d",
					"php runs what the setting "+show(u.val.text)+" names")
			}
		}
	}
}
