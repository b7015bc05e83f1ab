package provider

import (
	"slices"
	"strings"
)

// What a gateway has to know of a request before it passes it on stands here: which
// members bound its cost, and which have the provider do more than answer. Members are
// paths in gjson syntax.

// Limits returns the members of a request that bound the tokens of its answer. The first
// is the one to set if none is there.
func (m Model) Limits() []string { return m.row().limits }

// ThinkingLimit returns the member that bounds the tokens of thinking, "" if there is
// none.
func (m Model) ThinkingLimit() string { return m.row().thinks }

// UsageSwitch returns the member that a request for a stream must set to true for the
// answer to report its usage. It is "" for APIs that always do.
func (m Model) UsageSwitch() string { return m.row().counts }

// LimitObjects returns the objects of a request that hold members which Limits,
// ThinkingLimit or UsageSwitch name for any API.
func LimitObjects() (objects []string) {
	for _, a := range apis {
		for _, member := range append([]string{a.thinks, a.counts}, a.limits...) {
			if object, _, inside := strings.Cut(member, "."); inside {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// Remote returns the members by which a request to any API has the provider run
// something beside the model, or use what is stored there.
func Remote() (members []string) {
	for _, a := range apis {
		members = append(members, a.remote...)
	}
	return members
}

// Hosted reports whether a tool declared with this type runs at the provider and not at
// the client: web search, an interpreter, a remote server. For an API
// that has such tools every type that is not known to run at the client counts as hosted.
func (m Model) Hosted(typ string) bool {
	local := m.row().local
	return len(local) > 0 && !slices.ContainsFunc(local, func(prefix string) bool {
		return strings.HasPrefix(typ, prefix)
	})
}

// Searches reports whether a model of that name has the provider search the web before it
// is asked, as the names of OpenRouter can.
func (m Model) Searches(name string) bool {
	online := m.row().online
	return online != "" && strings.HasSuffix(name, online)
}

// Streams reports whether a request is answered by a stream. present says whether it has
// the member stream, which has that value.
func (m Model) Streams(present, stream bool) bool {
	if !present {
		return m.row().streams
	}
	return stream
}

// A Refusal is an error in a gateway's answer, in the words of those APIs that name the
// kind of an error: Type is Anthropic's word, Code that of OpenAI.
type Refusal struct{ Type, Code, Message string }

// Refusal returns the body of an answer that says so, a value that encoding/json knows.
func (m Model) Refusal(r Refusal) any { return m.row().refusal(r) }
