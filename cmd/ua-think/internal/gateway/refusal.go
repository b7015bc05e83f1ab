package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
)

// A refusal says why a request is not passed on.
type refusal struct {
	reason
	msg string
}

// A reason is a kind of refusal: its name in the log, its HTTP status, and the words that
// providers have for it (provider.Refusal).
type reason struct {
	name   string
	status int
	typ    string
	code   string
}

// The reasons. Another try may help with busy, network and log alone (RefusedHeader,
// X-Should-Retry).
var (
	reasonToken   = reason{"token", 401, "authentication_error", "invalid_api_key"}
	reasonRoute   = reason{"path", 404, "not_found_error", "unknown_url"}
	reasonDepth   = reason{"depth", 403, "permission_error", "depth_limit"}
	reasonModel   = reason{"model", 403, "permission_error", "model_not_allowed"}
	reasonHosted  = reason{"hosted", 403, "permission_error", "not_allowed"}
	reasonForm    = reason{"form", 400, "invalid_request_error", "invalid_request"}
	reasonSize    = reason{"size", 413, "request_too_large", "too_large"}
	reasonBusy    = reason{"busy", 429, "rate_limit_error", "rate_limit_exceeded"}
	reasonBudget  = reason{"budget", 402, "billing_error", "insufficient_quota"}
	reasonGone    = reason{"gone", 499, "api_error", "gone"} // nobody reads it
	reasonNetwork = reason{"network", 502, "api_error", "bad_gateway"}
	reasonLog     = reason{"log", 503, "api_error", "unavailable"}
)

// refuse returns a refusal for a reason, with a message for people.
func refuse(why reason, format string, a ...any) *refusal {
	return &refusal{why, fmt.Sprintf(format, a...)}
}

// write sends the refusal in the form of the errors of m's API.
func (r *refusal) write(w http.ResponseWriter, m provider.Model) {
	body := m.Refusal(provider.Refusal{Type: r.typ, Code: r.code, Message: r.msg})
	text, _ := json.Marshal(body) // strings always encode
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set(failure.RefusedHeader, r.name)
	switch r.reason {
	case reasonBusy:
		h.Set("Retry-After", "1")
	case reasonNetwork, reasonLog:
	default:
		h.Set("X-Should-Retry", "false")
	}
	w.WriteHeader(r.status)
	w.Write(append(text, '\n'))
}

// word returns at most 200 bytes of what a client has written, printable characters only.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return -1
	}, s[:min(len(s), 200)])
	return s
}
