package chain

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// LeaseURL is where a client of ua-sandbox's proxy asks it for a password of its own, which
// holds as long as the connection by which it was asked for.
const LeaseURL = "http://ua-sandbox.internal/lease"

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
