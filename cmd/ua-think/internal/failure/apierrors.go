package failure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
)

// A rule says which errors of an API it covers and what they mean. It matches by HTTP
// status, by a word of the API's error type, or by words of the message.
type rule struct {
	statuses []int
	kinds    []string
	texts    []string
	status   int // the exit status
	retry    bool
	hint     string
	badKey   bool
}

// rules returns the rules in order. The first one that matches counts.
func rules() []rule {
	return []rule{
		{
			statuses: []int{413},
			kinds:    []string{"context_length_exceeded", "exceed_context_size", "model_length"},
			texts: []string{
				"prompt is too long", "input is too long", "prompt exceeds max", "context length",
				"context window", "context size", "context shift", "context limit",
				"maximum prompt length", "maximum number of tokens allowed", "model token limit",
				"reduce the length of the messages", "too large for model",
			},
			status: prog.No,
			hint: "the conversation is too long for the model: give --context-tokens, " +
				"or use a model with a larger context",
		},
		{
			texts:  []string{"does not support tools", "support tool use"},
			status: prog.Trouble,
			hint: "this model can't call tools, so it can't run commands: use another one, " +
				"or only ask it (ua-think --no-tools)",
		},
		{
			statuses: []int{402}, kinds: []string{"insufficient_quota", "billing"},
			texts: []string{
				"insufficient balance", "balance is not enough", "insufficient credits",
				"credit balance is too low", "no credits left",
			},
			status: prog.Trouble, hint: "the account has run out of credit",
		},
		{
			statuses: []int{401}, kinds: []string{"authentication_error", "invalid_api_key"},
			status: prog.Trouble, badKey: true, hint: "the provider rejected this key",
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
			status: prog.Trouble, hint: "the provider rejected the form of the request; --dry-run shows it",
		},
	}
}

// API classifies an error by its HTTP status (0 inside a stream), by the API's own type
// of error, and by its message. A status of 4xx means that the request is at fault,
// whatever the message says. With 5xx, or inside a stream, an error that no rule covers
// is taken to pass with time.
func API(who string, status int, kind, text string) *Failure {
	f := &Failure{Msg: who}
	if status > 0 {
		f.Msg += ": HTTP " + strconv.Itoa(status)
	}
	if text != "" {
		f.Msg += ": " + text
	}
	f.classify(status, kind, text)
	return f
}

// classify says what an error means for the program: its status, and whether to try again.
func (f *Failure) classify(status int, kind, text string) {
	for _, r := range rules() {
		if r.fits(status, strings.ToLower(kind), strings.ToLower(text)) {
			f.Status, f.Retry, f.Hint, f.BadKey = r.status, r.retry, r.hint, r.badKey
			return
		}
	}
	if f.Status = prog.Trouble; status == 0 || status >= 500 {
		f.Status, f.Retry = prog.TryLater, true
	}
}

// fits reports whether the rule covers an error. Words never make a 4xx an error that
// passes with time, nor a 5xx one that does not, with one exception: some servers report
// a conversation that is too long with 500.
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

// Said returns the failure that the status 200 hides: an event of a stream, or a body, that
// is an error or nothing of an answer.
func Said(who string, body []byte) *Failure {
	f := &Failure{Msg: who + ": " + Text(body)}
	f.classify(codeIn(gjson.ParseBytes(body)), Kind(body), Text(body))
	return f
}

// Look returns the type of an event, name if it has none, and whether it is an error. Servers
// do not agree on a form for those: it is named so, has an error or says so of itself, or has
// words of its own and nothing of an answer. One pass finds all of it, because a stream has an
// event for almost every word.
func Look(name string, v gjson.Result) (typ string, bad bool) {
	words, own := false, false
	typ = name
	v.ForEach(func(key, x gjson.Result) bool {
		switch key.Str {
		case "type":
			if typ = x.Str; typ == "error" || typ == "response.failed" {
				bad = true
			}
		case "error":
			bad = bad || x.IsObject() && x.Raw != "{}" || x.Str != ""
		case "object":
			bad = bad || x.Str == "error"
		case "base_resp": // MiniMax
			bad = bad || x.Get("status_code").Int() != 0
		case "message", "msg", "detail", "error_msg", "error_message", "errors":
			words = words || x.Type == gjson.String || x.IsArray() && x.Raw != "[]"
			own = own || x.IsObject()
		case "choices", "output", "content", "response":
			own = own || x.IsArray() && x.Raw != "[]" || x.IsObject()
		}
		return true
	})
	return typ, bad || name == "error" || words && !own
}

// codeIn returns the HTTP status that an error names, 0 if none.
func codeIn(v gjson.Result) int {
	for _, path := range []string{
		"error.code", "error.status", "error.status_code", "response.error.code", "code", "status",
		"status_code",
	} {
		if n := v.Get(path).Int(); n >= 400 && n < 600 {
			return int(n)
		}
	}
	return 0
}

// Text returns the message in an error response of any API, on one line, or the beginning
// of its body. A message of another server that it carries stands behind its own.
func Text(body []byte) string {
	v := gjson.ParseBytes(body)
	for _, path := range []string{
		"error.message", "0.error.message", "response.error.message", "message", "msg", "detail",
		"detail.0.msg", "errors.0.message", "base_resp.status_msg", "error", "error_msg",
		"error_message", "error.detail", "error.type", "error.code",
	} {
		text := v.Get(path)
		if text.Type != gjson.String || text.Str == "" {
			continue
		}
		said := text.Str
		if loc := v.Get("detail.0.loc"); path == "detail.0.msg" && loc.IsArray() {
			said += " (" + strings.Trim(loc.Raw, "[]") + ")"
		}
		if raw := v.Get("error.metadata.raw"); raw.Exists() {
			said += ": " + Text([]byte(raw.String()))
		}
		return words(said, 2000)
	}
	return words(string(body), 300)
}

// Kind returns the types and codes of an error response, separated by spaces.
func Kind(body []byte) string {
	var words []string
	for _, path := range []string{
		"error.type", "error.code", "error.status", "response.error.code", "code", "type",
	} {
		if v := gjson.GetBytes(body, path); v.Type == gjson.String {
			words = append(words, v.Str)
		}
	}
	return strings.Join(words, " ")
}
