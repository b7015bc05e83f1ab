package policy

import (
	"net/url"
	"os"
	"slices"
	"strings"
)

// passed are the variables that the command gets: what names people, places,
// languages and tools. "*" at the end stands for any rest of a name.
const passed = `
PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL HOSTNAME LANG LANGUAGE LC_* TZ TERM TERM_PROGRAM TERMINFO TERMINFO_DIRS COLORTERM COLUMNS LINES
NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LS_COLORS MANPATH MANPAGER INFOPATH EDITOR VISUAL PAGER LESS LESSCHARSET GIT_PAGER
XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS XDG_STATE_HOME CI DEBIAN_FRONTEND SOURCE_DATE_EPOCH
CC CXX CPP LD AR AS NM RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG_PATH ARCH CROSS_COMPILE
MAKEFLAGS MAKEOVERRIDES MFLAGS CMAKE_* NINJA_STATUS CCACHE_DIR GO* CGO_* GCCGO CARGO_HOME CARGO_BUILD_* CARGO_TERM_* CARGO_TARGET_DIR CARGO_INCREMENTAL RUST*
PYTHON* PYENV_* VIRTUAL_ENV CONDA_* POETRY_* PIP_* UV_* NODE_* NVM_* NPM_CONFIG_* npm_config_* PNPM_HOME BUN_INSTALL DENO_DIR VOLTA_HOME YARN_*
JAVA_* JDK_* MAVEN_* GRADLE_* ANDROID_HOME ANDROID_SDK_ROOT RUBY* GEM_HOME GEM_PATH BUNDLE_* RBENV_* PERL* PERL5LIB PHP_INI_SCAN_DIR COMPOSER_HOME DOTNET_*
GHCUP_* STACK_ROOT OPAM* ERL_* MIX_* HEX_HOME JULIA_* R_HOME R_LIBS* LUA_* NIX_* GUIX_* HOMEBREW_PREFIX HOMEBREW_CELLAR SDKROOT MACOSX_DEPLOYMENT_TARGET DEVELOPER_DIR
GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_EDITOR GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS EMAIL
SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE TRACEPARENT UA_*`

// secretWords mark the name of a variable that holds a secret.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "COOKIE", "AUTH", "PRIVATE", "_PWD", "DSN", "WEBHOOK"}

// innocent are names that a word of secretWords is part of by chance.
const innocent = `GIT_AUTHOR_* GOAUTH GONOSUMDB GIT_COMMITTER_*`

// secretStarts begin the values of keys and tokens, by their makers' formats.
const secretStarts = `sk- sk_live_ sk_test_ rk_live_ pk_live_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glptt- xoxb- xoxp- xoxa- xoxr- xapp-
AKIA ASIA AIza ya29. eyJ npm_ pypi- dop_v1_ hf_ SG. dckr_pat_ shpat_ sq0 EAAC r8_ gsk_ xai- -----BEGIN AGE-SECRET-KEY- lin_api_ nvapi- pplx- hvs.`

// Environ is the environment that the command gets out of env: the variables
// that are passed by name or asked for with --env, without those that look like
// a secret by name or value. TMPDIR and what follows from it are the stages' to
// add. NAME=VALUE in ask sets a variable.
func Environ(env, ask []string) (out []string) {
	pass := strings.Fields(passed)
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if ok && (slices.Contains(ask, name) || matches(name, pass) && !SecretName(name) && !secretValue(value)) {
			out = append(out, kv)
		}
	}
	for _, kv := range ask {
		if name, _, ok := strings.Cut(kv, "="); ok {
			out = slices.DeleteFunc(out, func(old string) bool { return strings.HasPrefix(old, name+"=") })
			out = append(out, kv)
		}
	}
	return out
}

// Setenv is env with name set to value.
func Setenv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(env, name+"="+value)
}

// SecretName says whether a variable of that name may hold a secret.
func SecretName(name string) bool {
	up := strings.ToUpper(name)
	has := slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(up, w) })
	return (has || strings.HasSuffix(up, "_PAT")) && !matches(name, strings.Fields(innocent)) || strings.HasPrefix(up, "LD_") || strings.HasPrefix(up, "DYLD_")
}

// secretValue says whether a value looks like a key, or is an address with a
// password in it.
func secretValue(value string) bool {
	for _, start := range strings.Fields(secretStarts) {
		if len(value) >= len(start)+16 && strings.HasPrefix(value, start) && !strings.ContainsAny(value, "/: ") {
			return true
		}
	}
	if strings.HasPrefix(value, "-----BEGIN") {
		return true
	}
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '|' }) {
		if strings.Contains(word, "://") && strings.Contains(word, "@") {
			if u, err := url.Parse(word); err == nil && u.User != nil {
				if _, has := u.User.Password(); has {
					return true
				}
			}
		}
	}
	return false
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		start, open := strings.CutSuffix(p, "*")
		return name == p || open && strings.HasPrefix(name, start)
	})
}

// caches are variables that say where a tool's cache is, where it is without
// them, and the place below TMPDIR where it goes.
var caches = [][3]string{
	{"XDG_CACHE_HOME", "~/.cache", ".cache"},
	{"GOCACHE", "~/.cache/go-build", ".cache/go-build"},
	{"PIP_CACHE_DIR", "~/.cache/pip", ".cache/pip"},
	{"npm_config_cache", "~/.npm", ".cache/npm"},
}

// TmpEnv points env at the private tmp, and the caches that the policy does not
// let the command write at folders in it. Profile none has its caller's.
func (p *Policy) TmpEnv(env []string, tmp string) []string {
	if tmp == "" {
		tmp = os.TempDir()
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		env = Setenv(env, name, tmp)
	}
	if p.Profile == "none" {
		return env
	}
	for _, c := range caches {
		at := os.Getenv(c[0])
		if at == "" {
			at = Absolute(c[1])
		}
		if !p.Writable(realOr(at)) {
			at = tmp + "/" + c[2]
		}
		env = Setenv(env, c[0], at)
	}
	return env
}
