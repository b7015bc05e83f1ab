package proxy

import (
	"os"
	"slices"
	"strings"

	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
)

// Env returns the variables that make programs use the proxy at addr: the usual ones in
// both cases, what git and ssh need, and UA_PROXY. ALL_PROXY names the HTTP proxy too,
// since Python's HTTP libraries do not start with a SOCKS URL unless another module is
// installed.
//
// git uses basic authentication at once, because its default costs a refused request each
// time. ssh goes through `ua-sandbox --connect`; outside of git, ssh takes no proxy from
// the environment.
//
// NO_PROXY exempts the sandbox's own loopback. allow is the list that ParseAllowlist got. A
// name or address of the loopback in it means the machine outside, so programs must ask
// the proxy for it. Go's own client never does so; with host.internal it works there too.
func Env(addr, secret string, allow ...string) []string {
	url := "http://ua:" + secret + "@" + addr
	own := ownLoopback(allow)
	env := []string{execwrap.EnvProxy + "=" + url}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+url, strings.ToLower(name)+"="+url)
	}
	env = append(env, "YARN_HTTP_PROXY="+url, "YARN_HTTPS_PROXY="+url) // it knows no other ones
	self, err := os.Executable()
	if err != nil {
		self = "ua-sandbox"
	}
	return append(env, "NO_PROXY="+own, "no_proxy="+own,
		"NODE_USE_ENV_PROXY=1",
		"GIT_HTTP_PROXY_AUTHMETHOD=basic",
		"GIT_SSH_COMMAND=ssh -o "+prog.Quoted("ProxyCommand="+proxyCommand(self)))
}

// ownLoopback returns the names of the loopback that are not in the list.
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

// proxyCommand returns what ssh runs, in its syntax: % is an escape, and a shell reads it
// (ssh_config(5), ProxyCommand).
func proxyCommand(self string) string {
	return prog.Quoted(strings.ReplaceAll(self, "%", "%%")) + execwrap.ConnectArgs
}
