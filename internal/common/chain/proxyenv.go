package chain

import "strings"

// EnvProxy is the variable that names ua-sandbox's proxy to programs inside:
// http://USER:PASSWORD@HOST:PORT.
const EnvProxy = "UA_PROXY"

// ConnectArgs are the last words of the command by which git's ssh goes through that
// proxy. They tell it from a command of the caller's own.
const ConnectArgs = " --connect %h %p"

// OfProxy reports whether a variable, NAME=VALUE, is one of those that point programs at
// a proxy. The caller's own GIT_SSH_COMMAND is not one.
func OfProxy(kv string) bool {
	name, value, _ := strings.Cut(kv, "=")
	switch strings.ToUpper(name) {
	case EnvProxy, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY",
		"YARN_HTTP_PROXY", "YARN_HTTPS_PROXY",
		"NODE_USE_ENV_PROXY", "GIT_HTTP_PROXY_AUTHMETHOD":
		return true
	}
	return name == "GIT_SSH_COMMAND" && strings.Contains(value, ConnectArgs)
}
