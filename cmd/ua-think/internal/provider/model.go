package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/url"
	"slices"
	"strings"

	"ua/cmd/ua-think/internal/conversation"
)

// A Model is a model of a provider, ready to be asked once Unlock has given it a key.
type Model struct {
	Provider string // as the user names it
	Name     string // as the provider names it; for replay and exec the rest of the spec
	API      string // a row of the table of APIs, Replay or Exec
	Base     string // URL; "" for replay and exec
	Key      string
	Bearer   bool // the key goes into Authorization, where the API has a header of its own
	Header   map[string]string
	NumCtx   int      // Ollama: tokens of context, 0 for what the request needs
	Blind    bool     // it takes no images
	Refused  []string // members of a request that its server has refused
	keyEnv   string   // the variable that holds the key, for hints
}

// The APIs that are not asked over HTTP.
const (
	Replay = "replay" // the responses of a journal
	Exec   = "exec"   // any program
)

// Spec returns the model as --model takes it: PROVIDER/NAME, replay:FILE or exec:CMD.
func (m Model) Spec() string {
	if m.API == Replay || m.API == Exec {
		return m.API + ":" + m.Name
	}
	return m.Provider + "/" + m.Name
}

// said reports whether p comes from this model's provider. Only that provider can read
// the signatures and the sealed thinking in it.
func (m Model) said(p conversation.Part) bool {
	who, _, _ := strings.Cut(p.Model, "/")
	return who == m.Provider
}

// Local reports whether the model's server is on this machine, judged by its name.
func (m Model) Local() bool {
	u, err := url.Parse(m.Base)
	if err != nil {
		return false
	}
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
}

// id returns the ID of a call, or of the call that a result answers, as m's server takes it:
// its own as they are, and others in the letters and within the length that all servers take.
// No two become one.
func (m Model) id(p conversation.Part) string {
	least, most, short := 1, 64, m.maker().shortIDs
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

// Refuses reports whether m's server has refused a member of a request.
func (m Model) Refuses(member string) bool { return slices.Contains(m.Refused, member) }
