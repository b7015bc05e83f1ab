package environ

import "strings"

// actsOnShell reports whether bash or sh takes the variable as code or as a setting. A
// command would then mean something else than what was judged.
func actsOnShell(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_XTRACEFD",
		"BASH_LOADABLES_PATH", "CDPATH", "GLOBIGNORE", "EXECIGNORE", "FIGNORE", "PS4",
		"PROMPT_COMMAND", "POSIXLY_CORRECT", "PWD", "OLDPWD", "_":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}
