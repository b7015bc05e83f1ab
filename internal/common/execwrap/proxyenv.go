package execwrap

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// RefusedWords are the first words of the text with which ua-sandbox's proxy refuses a
// request.
const RefusedWords = "ua-sandbox refused"

// ProxyHost is the name of ua-sandbox's proxy itself, for clients that ask for what only
// the proxy has.
const ProxyHost = "ua-sandbox.internal"

const (
	// LeaseURL is where a client of ua-sandbox's proxy asks it for a password of its own,
	// which holds as long as the connection by which it was asked for.
	LeaseURL = "http://" + ProxyHost + "/lease"
	// RefusedURL is where it asks which requests the proxy has refused: many programs do
	// not print what they were told, and the one that ran them has to say it.
	RefusedURL = "http://" + ProxyHost + "/refused"
)

// LeaseStart returns what all passwords that a proxy leases begin with, up to "-". password
// is the proxy's own or a leased one. Nobody can compute a password from another one, and the
// start is what has to be redacted from output.
func LeaseStart(password string) string {
	if start, _, leased := strings.Cut(password, "-"); leased {
		return start
	}
	h := hmac.New(sha256.New, []byte(password))
	h.Write([]byte("lease"))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

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
