// Package environ makes the environment of commands. It leaves out secrets and what a
// shell would act on, and adds what keeps programs from waiting for a person.
package environ

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"unicode"

	"ua/internal/common/execwrap"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/redact"
	"ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// An Environ makes the environment of commands.
type Environ struct {
	base  []string // what every command gets
	proxy []string // what only network commands get
	ua    []string // what only commands that start ua get

	proxyUser string // what stands before the @ of ProxyURL

	ProxyURL string      // of the proxy of the sandbox around ua-exec, with its secret
	Writable []string    // what commands may write besides the working folder and TMPDIR
	Withheld []string    // names of what looks like a secret, here or to ua-sandbox
	Secrets  *redact.Set // what no output may hold, values of secret variables too

	tokens map[verdict.Profile]string // of the jobs' socket, by the profile of who has it
}

// New sorts the variables of env. It keeps from commands what the shell itself would act
// on, secrets, and ua's own variables. Those that keep names are passed on nevertheless;
// those that unset names never are. cwd is the working folder of commands. If ua-sandbox
// has judged the environment, only what it has added or passed unseen is judged here.
func New(env, keep, unset []string, judged bool, cwd string) *Environ {
	e := &Environ{}
	looks := make([]bool, len(env)) // like a secret
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		looks[i] = (!judged || unseen(name, value)) && secret.Variable(name, value)
	}
	set, given := Quiet(), keptOut(env, looks, keep)
	path := "" // PATH, where it is not what this program has
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		_, ours := set[name]
		switch {
		case slices.Contains(unset, name):
		case name == run.EnvPath:
			path = "PATH=" + value
		case name == jobs.EnvSocket || name == jobs.EnvToken: // of the run above
		case name == execwrap.EnvProxy:
			e.ProxyURL = value
		case name == run.EnvSandbox || slices.Contains(keep, name):
			e.base = append(e.base, v)
		case name == secret.EnvWithheld:
			e.Withheld = append(e.Withheld, strings.Fields(value)...)
		case execwrap.OfProxy(v) || given.proxyIn(v):
			e.proxy = append(e.proxy, v)
		case name == run.EnvToken && value != "":
			e.ua = append(e.ua, v)
			given.values[run.TokenStart(value)] = "environment_value"
		case name == run.EnvTrace || strings.HasPrefix(name, "UA_"):
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
		given.values[execwrap.LeaseStart(password)] = "environment_value"
	}
	e.Secrets = redact.NewSet(given.values)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		e.base = append(e.base, name+"="+set[name])
	}
	if path != "" {
		e.base = append(slices.DeleteFunc(e.base, func(v string) bool {
			return strings.HasPrefix(v, "PATH=")
		}), path)
	}
	e.base = append(e.base, "PWD="+cwd)
	return e
}

// unseen reports whether ua-sandbox may have the variable without having judged it: ua
// names its own there, and the proxy's have an address with a password.
func unseen(name, value string) bool {
	return name == run.EnvTrace || strings.HasPrefix(name, "UA_") || strings.Contains(value, "@")
}

// Of returns the environment of a command in the profile p. A command that delegates may
// start ua. Only network commands get the variables of the proxy. Outside of any sandbox
// a command finds no program where others can write: a person has said yes to apt-get, not
// to what lies under that name in the workspace.
func (e *Environ) Of(p verdict.Profile, delegates bool, l Credential) []string {
	env := e.base[:len(e.base):len(e.base)]
	if p == verdict.ProfileNone {
		env = prog.OutsideEnv(env, e.Writable...)
	}
	networks := !p.Within(verdict.ProfileWorkspace)
	if networks {
		for _, v := range e.proxy {
			env = append(env, e.with(v, l))
		}
	}
	if !delegates {
		return env
	}
	for _, v := range e.ua {
		if token, is := strings.CutPrefix(v, run.EnvToken+"="); is {
			v = run.EnvToken + "=" + run.CommandToken(token, l.ID)
		}
		env = append(env, v)
	}
	if networks && e.proxyUser != "" { // its commands have passwords of their own, too
		env = append(env, "UA_PROXY="+e.with(e.ProxyURL, l))
	}
	return env
}

// Asks reports whether commands that start ua can ask a model with tokens of their own.
func (e *Environ) Asks() bool {
	return slices.ContainsFunc(e.ua, func(v string) bool {
		token, is := strings.CutPrefix(v, run.EnvToken+"=")
		return is && run.CommandToken(token, "x") != token
	})
}

// Names returns the variables that a sandbox would withhold from commands that start ua,
// unless this program names them: tokens that those commands need.
func (e *Environ) Names() (list []string) {
	list = append(list, jobs.EnvToken)
	for _, v := range e.ua {
		if name, value, _ := strings.Cut(v, "="); secret.Variable(name, value) {
			list = append(list, name)
		}
	}
	return list
}

// A Credential proves that its command, or something that the command has left, is still
// running. A command could store its tokens, but they end with it.
type Credential struct {
	ID    string // the last part of its tokens
	Proxy string // USER:PASSWORD at the proxy; "" where there is none
}

// with returns a variable of the proxy in which the password is that of the command.
func (e *Environ) with(v string, l Credential) string {
	if e.proxyUser == "" || l.Proxy == "" {
		return v
	}
	return strings.ReplaceAll(v, e.proxyUser, l.Proxy)
}

// Leases reports whether the proxy around ua-exec gives each command its own password.
func (e *Environ) Leases() bool { return e.proxyUser != "" }

// JobsToken returns the token for the socket of jobs, for a command of the profile.
func (e *Environ) JobsToken(p verdict.Profile, l Credential) string {
	return e.tokens[p] + "-" + l.ID
}

// Bearer returns the profile and the credential's ID that a token for the socket of jobs
// stands for, or "" for an unknown token.
func (e *Environ) Bearer(token string) (p verdict.Profile, id string) {
	start, id, _ := strings.Cut(token, "-")
	for p, known := range e.tokens {
		if start == known {
			return p, id
		}
	}
	return "", ""
}

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

// A secrets holds the values that must not appear in any output.
type secrets struct {
	values map[string]string // with their kinds
	proxy  string            // the secret of the run's proxy
}

// keptOut returns the values of env's secret variables, except of those that keep names.
// looks says for each variable whether it looks like a secret.
func keptOut(env []string, looks []bool, keep []string) secrets {
	s := secrets{values: map[string]string{}}
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == execwrap.EnvProxy:
			if s.proxy = userinfo(value); s.proxy != "" {
				s.values[s.proxy] = "environment_value"
			}
		case slices.Contains(keep, name) || execwrap.OfProxy(v):
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

// in reports whether the text contains one of the values, apart from the proxy's.
func (s secrets) in(text string) bool {
	for value := range s.values {
		if value != s.proxy && len(value) >= redact.MinValue && strings.Contains(text, value) {
			return true
		}
	}
	return false
}

// proxyIn reports whether the text contains the proxy's secret.
func (s secrets) proxyIn(text string) bool {
	return s.proxy != "" && strings.Contains(text, s.proxy)
}

// userinfo returns the part of a URL in front of the @ (RFC 3986, section 3.2.1).
func userinfo(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if user, _, ok := strings.Cut(rest, "@"); ok {
		return user
	}
	return ""
}

// secretive reports whether a value is specific enough to be removed from output. A path,
// a number or a single short word also occurs in harmless output.
func secretive(value string) bool {
	if strings.HasPrefix(value, "/") {
		return false
	}
	sign := func(r rune) bool { return !unicode.IsLetter(r) }
	return strings.Trim(value, "0123456789") != "" &&
		(len(value) >= 16 || strings.ContainsFunc(value, sign))
}
