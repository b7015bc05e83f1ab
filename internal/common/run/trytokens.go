package run

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// The variables by which a command of a run can have its own try, which ua-try serve
// makes outside of the sandbox.
const (
	EnvTries      = "UA_TRIES"       // the socket
	EnvTriesToken = "UA_TRIES_TOKEN" // ua-exec has the run's secret, a command TriesToken of it
)

// The variables of ua-try. It sets the first for its command, and reads the second.
const (
	EnvTry      = "UA_TRY"       // the try that a process is in
	EnvTryTitle = "UA_TRY_TITLE" // what a list of tries shows in place of the command
)

// TriesToken returns the token for a sandbox profile at the socket. Whoever has it gets a
// try in that profile, and cannot compute the token of a wider one.
func TriesToken(secret, profile string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(profile))
	return hex.EncodeToString(h.Sum(nil))
}

// LiveName returns the name of a file in the folder of the run's outputs. It says that
// the command with this ID and profile is still running. A token at the socket is
// followed by "-" and the ID, so that it is worth nothing once the command has ended.
func LiveName(profile, id string) string { return ".lives-" + profile + "-" + id }
