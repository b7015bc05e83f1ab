package run

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// CommandToken returns what a command gets in place of a gateway's token: START-ID-MAC.
// It shows the gateway which command asks, so that none takes the places of others, and
// nobody can compute that of another command from it. One of an outer command stays what
// it is: whatever that starts is the same client. An empty token stays empty.
func CommandToken(token, id string) string {
	if token == "" || isCommandToken(token) {
		return token
	}
	return TokenStart(token) + "-" + id + "-" + tokenMAC(token, "command "+id)
}

// CommandOf returns the ID of the command whose token this is, and whether it is one that
// CommandToken made of the gateway's token. Its comparison takes the same time for all.
func CommandOf(token, given string) (id string, ok bool) {
	start, rest, _ := strings.Cut(given, "-")
	id, _, _ = strings.Cut(rest, "-")
	own := TokenStart(token) + "-" + id + "-" + tokenMAC(token, "command "+id)
	return id, token != "" && start != "" && hmac.Equal([]byte(own), []byte(given))
}

// CommandID returns a new ID of a command that a call has started. Its last part stands for
// the call: whoever knows the verdict on that knows what the token's bearer may do.
func CommandID(call string) string { return rand.Text() + callPart(call) }

// IsOf reports whether the ID of a command is that of one that the call has started.
func IsOf(id, call string) bool { return strings.HasSuffix(id, callPart(call)) }

// callPart returns the part of an ID that stands for a call.
func callPart(call string) string {
	sum := sha256.Sum256([]byte(call))
	return hex.EncodeToString(sum[:12])
}

// TokenStart returns what all tokens of a gateway's commands begin with, which is what has
// to be redacted from output.
func TokenStart(token string) string {
	if isCommandToken(token) {
		return token[:startLen]
	}
	return tokenMAC(token, "start")[:startLen]
}

// LiveName returns the name of a file in the folder of the run's outputs, where no command can
// write. It says that something of the command with this ID is still running, without which
// the command's token is worth nothing.
func LiveName(id string) string { return ".lives-" + id }

// startLen is the length of a start; a MAC (SHA-256) in hexadecimal has twice as much.
const startLen = 32

// isCommandToken reports whether the token looks like one that CommandToken has made.
func isCommandToken(token string) bool {
	parts := strings.Split(token, "-")
	return len(parts) == 3 && len(parts[0]) == startLen && len(parts[2]) == 2*startLen
}

// tokenMAC returns the HMAC (SHA-256) of a text, keyed with the token.
func tokenMAC(token, text string) string {
	h := hmac.New(sha256.New, []byte(token))
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}
