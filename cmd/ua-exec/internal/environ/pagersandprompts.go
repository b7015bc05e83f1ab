package environ

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
