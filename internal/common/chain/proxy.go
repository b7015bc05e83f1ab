package chain

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// RefusedWords begin the text with which ua-sandbox's proxy refuses a request.
const RefusedWords = "ua-sandbox refused"

// ProxyHost is ua-sandbox's proxy itself, to a client that asks it for what no other
// host has.
const ProxyHost = "ua-sandbox.internal"

const (
	// LeaseURL is where a client of ua-sandbox's proxy asks it for a password of its own,
	// which holds as long as the connection by which it was asked for.
	LeaseURL = "http://" + ProxyHost + "/lease"
	// RefusedURL is where it asks which requests the proxy has refused: many programs do
	// not print what they were told, and the one that ran them has to say it.
	RefusedURL = "http://" + ProxyHost + "/refused"
)

// LeaseStart returns what all passwords begin with that a proxy leases, up to the sign "-",
// from its own password or one of those: who knows one finds no other out of it, and no
// output needs to show it.
func LeaseStart(password string) string {
	if start, _, leased := strings.Cut(password, "-"); leased {
		return start
	}
	h := hmac.New(sha256.New, []byte(password))
	h.Write([]byte("lease"))
	return hex.EncodeToString(h.Sum(nil)[:16])
}
