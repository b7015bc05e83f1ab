package chain

import "strings"

// EnvProxy names the proxy of ua-sandbox to what runs in it: http://USER:PASSWORD@HOST:PORT.
const EnvProxy = "UA_PROXY"

// ConnectArgs end the command by which git's ssh goes through that proxy, and tell it from
// a command of the caller's own.
const ConnectArgs = " --connect %h %p"

// OfProxy reports whether a variable, NAME=VALUE, is one of those that point programs at
// ua-sandbox's proxy, or at another. A GIT_SSH_COMMAND of the caller's own is not.
func OfProxy(kv string) bool {
	name, value, _ := strings.Cut(kv, "=")
	switch strings.ToUpper(name) {
	case EnvProxy, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY",
		"NODE_USE_ENV_PROXY", "GIT_HTTP_PROXY_AUTHMETHOD":
		return true
	}
	return name == "GIT_SSH_COMMAND" && strings.Contains(value, ConnectArgs)
}
