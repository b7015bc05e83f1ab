package environ

import (
	"strings"
)

// Quiet returns the variables that keep programs from waiting for a person: no pager,
// editor, password prompt or dialogue, and no colours. The caller may change the map.
func Quiet() map[string]string {
	return map[string]string{
		"TERM": "dumb", "NO_COLOR": "1",
		"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat",
		"GH_PAGER": "cat", "AWS_PAGER": "", "PSQL_PAGER": "cat", "BAT_PAGER": "cat",
		"EDITOR": "true", "VISUAL": "true",
		"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
		"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GCM_INTERACTIVE": "never",
		"SSH_ASKPASS": "false", "SSH_ASKPASS_REQUIRE": "force", "SUDO_ASKPASS": "false",
		"GIT_OPTIONAL_LOCKS": "0", "GIT_MERGE_AUTOEDIT": "no",
		"DEBIAN_FRONTEND": "noninteractive", "PIP_NO_INPUT": "1",
		"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
	}
}

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
