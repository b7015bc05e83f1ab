package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"ua/cmd/ua-think/internal/conversation"
)

// id returns the ID of a call, or of the call that a result answers, as m's server takes it:
// its own as they are, and others in the letters and within the length that all servers take.
// No two become one.
func (m Model) id(p conversation.Part) string {
	least, most, short := 1, 64, strings.Contains(m.Base, "//api.mistral.ai")
	if short {
		least, most = 9, 9
	}
	odd := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' ||
			!short && (r == '_' || r == '-'))
	}
	if n := len(p.ID); !short && m.said(p) || least <= n && n <= most &&
		strings.IndexFunc(p.ID, odd) < 0 {
		return p.ID
	}
	sum := sha256.Sum256([]byte(p.ID))
	return ("c" + hex.EncodeToString(sum[:]))[:min(most, 32)]
}
