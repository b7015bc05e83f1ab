// Package environ makes the environment of commands: without secrets, without what a shell
// would act on, and with what keeps programs from waiting for a person.
package environ

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"unicode"

	"ua/internal/common/chain"
	"ua/internal/common/jobs"
	"ua/internal/common/redact"
	agent "ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// An Environ makes the environment of commands.
type Environ struct {
	base  []string // what every command gets
	proxy []string // what only network commands get
	ua    []string // what only commands that start ua get

	tries, triesSecret string // where those have a try of their own
	proxyUser          string // what stands before the @ of ProxyURL

	ProxyURL string      // of the proxy of the sandbox around ua-exec, with its secret
	Withheld []string    // names of what looks like a secret, here or to ua-sandbox
	Secrets  *redact.Set // what no output may hold, values of secret variables too

	tokens map[verdict.Profile]string // of the jobs' socket, by the profile of who has it
}

// A Life is what a command proves by that it still goes on, or something that it has left
// running: its rights end with it, though it may have stored what stands for them.
type Life struct {
	ID    string // the last part of its tokens
	Proxy string // USER:PASSWORD at the proxy; "" where there is none
}

// New sorts env: what the shell itself would act on, secrets and ua's
// own variables are kept from commands, but for those that keep names; and what
// unset names.
func New(env, keep, unset []string, cwd string) *Environ {
	e := &Environ{}
	looks := make([]bool, len(env)) // like a secret
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		looks[i] = secret.Variable(name, value)
	}
	set, given := Quiet(), keptOut(env, looks, keep)
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		_, ours := set[name]
		switch {
		case slices.Contains(unset, name):
		case name == jobs.EnvSocket || name == jobs.EnvToken: // of the run above
		case name == "UA_PROXY":
			e.ProxyURL = value
		case name == "UA_SANDBOX" || slices.Contains(keep, name):
			e.base = append(e.base, v)
		case name == secret.EnvWithheld:
			e.Withheld = append(e.Withheld, strings.Fields(value)...)
		case chain.OfProxy(v) || given.proxyIn(v):
			e.proxy = append(e.proxy, v)
		case name == agent.EnvTries:
			e.tries = value
		case name == agent.EnvTriesToken:
			e.triesSecret = value
		case name == "TRACEPARENT" || strings.HasPrefix(name, "UA_"):
			e.ua = append(e.ua, v)
		case ours || actsOnShell(name):
		case looks[i] || given.in(value):
			e.Withheld = append(e.Withheld, name)
		default:
			e.base = append(e.base, v)
		}
	}
	slices.Sort(e.Withheld)
	e.Withheld = slices.Compact(e.Withheld)
	e.tokens = map[verdict.Profile]string{}
	for _, p := range verdict.Profiles() {
		token := rand.Text()
		e.tokens[verdict.Profile(p)], given.values[token] = token, "environment_value"
	}
	if _, password, ok := strings.Cut(given.proxy, ":"); ok {
		e.proxyUser = given.proxy
		given.values[chain.LeaseStart(password)] = "environment_value"
	}
	e.Secrets = redact.NewSet(given.values)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		e.base = append(e.base, name+"="+set[name])
	}
	e.base = append(e.base, "PWD="+cwd)
	return e
}

// A secrets is the values that no output may hold.
type secrets struct {
	values map[string]string // with their kinds
	proxy  string            // the secret of the run's proxy
}

// keptOut returns the values of env's secret variables, but for those of keep.
// looks says of each variable whether it looks like a secret.
func keptOut(env []string, looks []bool, keep []string) secrets {
	s := secrets{values: map[string]string{}}
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "UA_PROXY":
			if s.proxy = userinfo(value); s.proxy != "" {
				s.values[s.proxy] = "environment_value"
			}
		case slices.Contains(keep, name) || chain.OfProxy(v):
		case looks[i]:
			if _, password, ok := strings.Cut(userinfo(value), ":"); ok {
				value = password
			}
			if secretive(value) {
				s.values[value] = "environment_value"
			}
		}
	}
	return s
}

// in reports whether the text holds one of the values, but for the proxy's.
func (s secrets) in(text string) bool {
	for value := range s.values {
		if value != s.proxy && len(value) >= redact.MinValue && strings.Contains(text, value) {
			return true
		}
	}
	return false
}

// proxyIn reports whether the text holds the proxy's secret.
func (s secrets) proxyIn(text string) bool {
	return s.proxy != "" && strings.Contains(text, s.proxy)
}

// Of returns the environment of a command in the profile, which may start ua if it delegates.
func (e *Environ) Of(p verdict.Profile, delegates bool, l Life) []string {
	env := e.base[:len(e.base):len(e.base)]
	networks := !p.Within(verdict.ProfileWorkspace)
	if networks {
		for _, v := range e.proxy {
			env = append(env, e.with(v, l))
		}
	}
	if !delegates {
		return env
	}
	env = append(env, e.ua...)
	if networks && e.proxyUser != "" { // its commands have passwords of their own, too
		env = append(env, "UA_PROXY="+e.with(e.ProxyURL, l))
	}
	if e.triesSecret != "" {
		env = append(env, agent.EnvTries+"="+e.tries, agent.EnvTriesToken+"="+
			agent.TriesToken(e.triesSecret, string(p))+"-"+l.ID)
	}
	return env
}

// with returns a variable of the proxy with the password of the command.
func (e *Environ) with(v string, l Life) string {
	if e.proxyUser == "" || l.Proxy == "" {
		return v
	}
	return strings.ReplaceAll(v, e.proxyUser, l.Proxy)
}

// Leases reports whether the proxy of the sandbox around ua-exec has passwords for commands.
func (e *Environ) Leases() bool { return e.proxyUser != "" }

// Tries reports whether commands that start ua have tries of their own.
func (e *Environ) Tries() bool { return e.triesSecret != "" }

// JobsToken returns what stands at the socket of jobs for a command of the profile.
func (e *Environ) JobsToken(p verdict.Profile, l Life) string { return e.tokens[p] + "-" + l.ID }

// Bearer returns the profile and the life for which a token stands at the socket of jobs, ""
// for none.
func (e *Environ) Bearer(token string) (p verdict.Profile, id string) {
	start, id, _ := strings.Cut(token, "-")
	for p, known := range e.tokens {
		if start == known {
			return p, id
		}
	}
	return "", ""
}

// Names returns the variables that a sandbox would withhold from commands that
// start ua, but for this program's word: the token of their gateway.
func (e *Environ) Names() (list []string) {
	list = append(list, jobs.EnvToken, agent.EnvTriesToken)
	for _, v := range e.ua {
		if name, value, _ := strings.Cut(v, "="); secret.Variable(name, value) {
			list = append(list, name)
		}
	}
	return list
}

// Quiet returns the variables that keep programs from waiting for a person: no
// pager, editor, password prompt or dialogue, and no colours.
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

// actsOnShell reports whether bash or sh would take the variable as code or as a
// setting, so that a command would mean something else than what was judged.
func actsOnShell(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_XTRACEFD",
		"BASH_LOADABLES_PATH", "CDPATH", "GLOBIGNORE", "EXECIGNORE", "FIGNORE", "PS4",
		"PROMPT_COMMAND", "POSIXLY_CORRECT", "PWD", "OLDPWD", "_":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

// userinfo returns what stands before the @ of a URL.
func userinfo(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if user, _, ok := strings.Cut(rest, "@"); ok {
		return user
	}
	return ""
}

// secretive reports whether output that holds the value would give the secret away:
// a path, a number and a single short word also stand in harmless output.
func secretive(value string) bool {
	if strings.HasPrefix(value, "/") {
		return false
	}
	sign := func(r rune) bool { return !unicode.IsLetter(r) }
	return strings.Trim(value, "0123456789") != "" &&
		(len(value) >= 16 || strings.ContainsFunc(value, sign))
}
