package main

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"ua/internal/common/redact"
	"ua/internal/common/verdict"
)

// An environ makes the environment of commands.
type environ struct {
	base  []string // what every command gets
	open  []string // the same, if no secret is in a value
	proxy []string // what only network commands get
	ua    []string // what only commands that start ua get

	secrets *redact.Set // what no output may hold, values of secret variables too
	sift    sync.Once   // of open into base, when the first command starts
}

// newEnviron sorts env: what the shell itself would act on, secrets and ua's
// own variables are kept from commands, but for those that keep names; and what
// unset names.
func newEnviron(env, keep, unset []string, cwd string) *environ {
	e, values := &environ{}, map[string]string{}
	secret := ""
	for _, v := range env {
		if name, value, _ := strings.Cut(v, "="); name == "UA_PROXY" {
			secret = userinfo(value)
		}
	}
	if secret != "" {
		values[secret] = "environment_value"
	}
	set := quiet()
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		_, ours := set[name]
		if secretName(name) && secretive(value) {
			values[value] = "environment_value"
		}
		switch {
		case slices.Contains(unset, name):
		case name == "UA_SANDBOX" || slices.Contains(keep, name):
			e.base = append(e.base, v)
		case slices.Contains([]string{"UA_RUN_DIR", "UA_JOURNAL", "UA_DEPTH", "TRACEPARENT"}, name):
			e.ua = append(e.ua, v)
		case ours || strings.HasPrefix(name, "UA_") || actsOnShell(name):
		case isProxy(name) || name == "GIT_SSH_COMMAND" && strings.Contains(value, " --connect %h %p") || secret != "" && strings.Contains(value, secret):
			e.proxy = append(e.proxy, v)
		case secretName(name):
		default:
			e.open = append(e.open, v)
		}
	}
	e.secrets = redact.NewSet(values)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		e.base = append(e.base, name+"="+set[name])
	}
	e.base = append(e.base, "PWD="+cwd)
	return e
}

// of is the environment of a call.
func (e *environ) of(c *call) []string {
	e.sift.Do(func() {
		for _, v := range e.open {
			if _, found := e.secrets.Text(v); found == nil {
				e.base = append(e.base, v)
			}
		}
	})
	env := e.base[:len(e.base):len(e.base)]
	if !c.profile.Within(verdict.ProfileWorkspace) {
		env = append(env, e.proxy...)
	}
	if c.delegates {
		env = append(env, e.ua...)
	}
	return env
}

// quiet are the variables that keep programs from waiting for a person: no
// pager, editor, password prompt or dialogue, and no colours.
func quiet() map[string]string {
	return map[string]string{
		"TERM": "dumb", "NO_COLOR": "1",
		"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat",
		"GH_PAGER": "cat", "AWS_PAGER": "", "PSQL_PAGER": "cat", "BAT_PAGER": "cat",
		"EDITOR": "true", "VISUAL": "true", "GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
		"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GCM_INTERACTIVE": "never",
		"SSH_ASKPASS": "false", "SSH_ASKPASS_REQUIRE": "force", "SUDO_ASKPASS": "false",
		"GIT_OPTIONAL_LOCKS": "0", "GIT_MERGE_AUTOEDIT": "no",
		"DEBIAN_FRONTEND": "noninteractive", "PIP_NO_INPUT": "1", "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
	}
}

// actsOnShell says whether bash or sh would take the variable as code or as a
// setting, so that a command would mean something else than what was judged.
func actsOnShell(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_XTRACEFD", "BASH_LOADABLES_PATH",
		"CDPATH", "GLOBIGNORE", "EXECIGNORE", "FIGNORE", "PS4", "PROMPT_COMMAND", "POSIXLY_CORRECT", "PWD", "OLDPWD", "_":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

func isProxy(name string) bool {
	switch strings.ToUpper(name) {
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY", "NODE_USE_ENV_PROXY", "GIT_HTTP_PROXY_AUTHMETHOD":
		return true
	}
	return false
}

// userinfo is what stands before the @ of a URL.
func userinfo(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if user, _, ok := strings.Cut(rest, "@"); ok {
		return user
	}
	return ""
}

// secretive says whether the value of a secret's variable may be the secret: it
// is no path of a file and no number, which also stand in harmless output.
func secretive(value string) bool {
	return !strings.HasPrefix(value, "/") && strings.Trim(value, "0123456789") != ""
}

// secretName says whether a variable of this name holds a secret, by the words
// in it.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY", "AUTHKEY", "AUTH_KEY"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_PAT") || strings.HasSuffix(name, "_PASS") || strings.HasSuffix(name, "_PW")
}
