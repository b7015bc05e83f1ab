package chain

import "strings"

// OfProxy reports whether a variable, NAME=VALUE, is one of those that point programs at
// ua-sandbox's proxy, or at another. A GIT_SSH_COMMAND of the caller's own is not.
func OfProxy(kv string) bool {
	name, value, _ := strings.Cut(kv, "=")
	switch strings.ToUpper(name) {
	case "UA_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY",
		"NODE_USE_ENV_PROXY", "GIT_HTTP_PROXY_AUTHMETHOD":
		return true
	}
	return name == "GIT_SSH_COMMAND" && strings.Contains(value, " --connect %h %p")
}
