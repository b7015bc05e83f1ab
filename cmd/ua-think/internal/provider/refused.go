package provider

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
)

// Refuses reports whether m's server has refused a member of a request.
func (m Model) Refuses(member string) bool { return slices.Contains(m.Refused, member) }

// Refusable returns the member of a request to m that an error says is unknown, "" unless a
// request can do without it or has another name for it.
func (m Model) Refusable(body Body, f *failure.Failure) string {
	words := strings.ToLower(f.Msg)
	unknown := func(word string) bool { return strings.Contains(words, word) }
	refusals := []string{"support", "unrecogni", "unknown", "unexpected", "not permitted",
		"not allowed", "extra"}
	if m.API != usualAPI || f.Retry || !slices.ContainsFunc(refusals, unknown) {
		return ""
	}
	for _, member := range []string{"stream_options", "max_tokens", "max_completion_tokens"} {
		if unknown(member) && !m.Refuses(member) && gjson.GetBytes(body, member).Exists() {
			return member
		}
	}
	return ""
}
