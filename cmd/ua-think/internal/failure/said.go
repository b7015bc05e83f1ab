package failure

import (
	"strings"

	"github.com/tidwall/gjson"
)

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
