package proxy

import (
	"os"
	"slices"
	"strings"
)

// Env returns the variables that make programs use the proxy at addr: the usual
// ones in both cases, what git and ssh need, and UA_PROXY. ALL_PROXY is the HTTP
// proxy too, since Python's HTTP libraries refuse to start with a SOCKS URL
// unless another module is installed.
//
// git asks by basic authentication at once (its default costs a refused request
// each time) and ssh goes through `ua-sandbox --connect`. ssh by itself, outside
// git, takes no proxy from the environment.
//
// NO_PROXY keeps the sandbox's own loopback out of it. allow is the list that
// ParsePolicy got: a name or address of the loopback that stands there means the
// machine outside, so programs must ask the proxy for it. Go's own client never
// does; host.internal works there too.
func Env(addr, secret string, allow ...string) []string {
	url := "http://ua:" + secret + "@" + addr
	own := ownLoopback(allow)
	env := []string{"UA_PROXY=" + url}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+url, strings.ToLower(name)+"="+url)
	}
	self, err := os.Executable()
	if err != nil {
		self = "ua-sandbox"
	}
	return append(env, "NO_PROXY="+own, "no_proxy="+own,
		"NODE_USE_ENV_PROXY=1",
		"GIT_HTTP_PROXY_AUTHMETHOD=basic",
		"GIT_SSH_COMMAND=ssh -o "+shellQuote("ProxyCommand="+proxyCommand(self)))
}

// ownLoopback returns the loopback's names that the list does not have.
func ownLoopback(allow []string) string {
	own := []string{"localhost", "127.0.0.1", "::1"}
	for _, item := range allow {
		if r, err := parseRule(item); err == nil && !r.below {
			listed := host{r.name, r.addr}.String()
			own = slices.DeleteFunc(own, func(name string) bool { return name == listed })
		}
	}
	return strings.Join(own, ",")
}

// proxyCommand returns what ssh runs, in its own syntax: % escapes, a shell reads it.
func proxyCommand(self string) string {
	return shellQuote(strings.ReplaceAll(self, "%", "%%")) + " --connect %h %p"
}

// shellQuote makes one word of s for sh.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
