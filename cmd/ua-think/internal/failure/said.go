package failure

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Said returns the failure that an event of a stream, or a whole answer with the status 200,
// reports, nil if it is no error. name is that of the event. Servers do not agree on a form:
// an error can be an object or a text, bare or in a member, or be known by its name alone.
func Said(who, name string, v gjson.Result) *Failure {
	if name != "error" && !isError(v) {
		return nil
	}
	body := []byte(v.Raw)
	f := &Failure{Msg: who + ": " + Text(body)}
	f.classify(codeIn(v), Kind(body), Text(body))
	return f
}

// isError reports whether a JSON value is an error: it says so, or has words of its own and
// nothing of an answer.
func isError(v gjson.Result) bool {
	bad, words, own := false, false, false
	v.ForEach(func(key, x gjson.Result) bool {
		switch key.Str {
		case "error":
			bad = bad || x.IsObject() && x.Raw != "{}" || x.Str != ""
		case "object", "type":
			bad = bad || x.Str == "error" || x.Str == "response.failed"
		case "base_resp": // MiniMax
			bad = bad || x.Get("status_code").Int() != 0
		case "message", "msg", "detail", "error_msg", "error_message", "errors":
			words = words || x.Type == gjson.String || x.IsArray() && x.Raw != "[]"
			own = own || x.IsObject()
		case "choices", "output", "content", "response":
			own = own || x.IsArray() && x.Raw != "[]" || x.IsObject()
		}
		return !bad
	})
	return bad || words && !own
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
