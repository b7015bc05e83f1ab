package run

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// The variables by which a command of a run has a try of its own: ua-try serve makes it
// outside of the sandbox.
const (
	EnvTries      = "UA_TRIES"       // the socket
	EnvTriesToken = "UA_TRIES_TOKEN" // ua-exec has the run's secret, a command TriesToken of it
)

// The variables of ua-try: the first it sets for its command, the second it takes.
const (
	EnvTry      = "UA_TRY"       // the try that a process is in
	EnvTryTitle = "UA_TRY_TITLE" // what a list of tries shows in place of the command
)

// TriesToken returns what stands for a sandbox profile at the socket: who has it gets a
// try in that profile. Nobody gets that of a wider one out of it.
func TriesToken(secret, profile string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(profile))
	return hex.EncodeToString(h.Sum(nil))
}

// LiveName returns the name of the file that says, in the folder of the run's outputs, that
// the command with the ID goes on, which has the profile. Behind its token at the socket
// stands "-" and the ID: a stored token ends with the command.
func LiveName(profile, id string) string { return ".lives-" + profile + "-" + id }
