package failure

import (
	"slices"
	"strconv"
	"strings"

	"ua/internal/common/prog"
)

// A rule says which errors of an API it is about and what they mean. It fits
// when the HTTP status, a word of the API's error type or a word of the message
// does.
type rule struct {
	statuses []int
	kinds    []string
	texts    []string
	status   int // the exit status
	retry    bool
	hint     string
	badKey   bool
}

// rules returns read from above; the first rule that fits holds.
func rules() []rule {
	return []rule{
		{
			statuses: []int{413}, kinds: []string{"context_length_exceeded"},
			texts:  []string{"prompt is too long", "context length", "context window"},
			status: prog.No,
			hint: "the conversation is too long for the model: give --context-tokens, " +
				"or take a model with a larger context",
		},
		{
			texts:  []string{"does not support tools", "support tool use"},
			status: prog.Trouble,
			hint: "this model can't call tools, so it can run no commands: take another one, " +
				"or only ask it (ua-think --no-tools)",
		},
		{
			statuses: []int{402}, kinds: []string{"insufficient_quota", "billing"},
			status: prog.Trouble, hint: "the account has run out of credit",
		},
		{
			statuses: []int{401}, kinds: []string{"authentication_error", "invalid_api_key"},
			status: prog.Trouble, badKey: true, hint: "the provider refuses this key",
		},
		{
			statuses: []int{403}, kinds: []string{"permission_error"},
			status: prog.Trouble, hint: "this key may not use this model",
		},
		{
			statuses: []int{404}, kinds: []string{"not_found", "model_not_found"},
			status: prog.Trouble,
			hint:   "check the model's name (ua-think models) and the base URL",
		},
		{
			statuses: []int{429}, kinds: []string{"rate_limit", "too_many_requests"},
			status: prog.TryLater, retry: true, hint: "the provider is limiting the rate of requests",
		},
		{statuses: []int{408, 409}, status: prog.TryLater, retry: true},
		{
			statuses: []int{400, 422}, kinds: []string{"invalid_request"},
			status: prog.Trouble, hint: "the provider refuses the form of the request; --dry-run shows it",
		},
	}
}

// API judges an error by its HTTP status, 0 for one inside a stream, the API's
// own type of it and its message. An HTTP status of 4xx says that the request
// is at fault, whatever the words beside it; inside a stream, and with 5xx, what
// no rule knows may pass.
func API(who string, status int, kind, text string) *Failure {
	f := &Failure{Msg: who}
	if status > 0 {
		f.Msg += ": HTTP " + strconv.Itoa(status)
	}
	if text != "" {
		f.Msg += ": " + text
	}
	for _, r := range rules() {
		if r.fits(status, kind, strings.ToLower(text)) {
			f.Status, f.Retry, f.Hint, f.BadKey = r.status, r.retry, r.hint, r.badKey
			return f
		}
	}
	if f.Status = prog.Trouble; status == 0 || status >= 500 {
		f.Status, f.Retry = prog.TryLater, true
	}
	return f
}

// fits reports whether a rule is about an error. Words never turn a 4xx into an
// error that may pass, nor a 5xx into one that may not, but for a conversation
// that is too long: some servers answer that with 500.
func (r rule) fits(status int, kind, text string) bool {
	if slices.Contains(r.statuses, status) {
		return true
	}
	has := func(words []string, in string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(in, w) })
	}
	switch {
	case status >= 500:
		return has(r.texts, text)
	case status > 0 && r.retry:
		return false
	}
	return has(r.kinds, kind) || has(r.texts, text)
}
