package failure

import (
	"strings"
	"testing"

	"ua/internal/common/prog"
)

// TestAPI: what an error means depends on its status first, on words second.
func TestAPI(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		kind, text string
		exit       int
		retry      bool
		hint       string
	}{
		"400": {400, "invalid_request_error", "bad field", prog.Trouble, false,
			"--dry-run"},
		"400 that says api_error": {400, "api_error", "overloaded", prog.Trouble, false,
			"--dry-run"},
		"400 that says rate limit": {400, "rate_limit_error", "", prog.Trouble, false, "--dry-run"},
		"400, too long": {400, "invalid_request_error", "prompt is too long: 9 > 8",
			prog.No, false, "--context-tokens"},
		"400, OpenAI's word for that": {400, "invalid_request_error context_length_exceeded", "",
			prog.No, false, "--context-tokens"},
		"400, no tools (Ollama)": {400, "", "registry.ollama.ai/library/x does not support tools",
			prog.Trouble, false, "--no-tools"},
		"500, too long (llama.cpp)": {500, "server_error", "exceeds the context window", prog.No,
			false, "--context-tokens"},
		"500 that says bad key":    {500, "authentication_error", "", prog.TryLater, true, ""},
		"500":                      {500, "api_error", "oops", prog.TryLater, true, ""},
		"502 without a word":       {502, "", "", prog.TryLater, true, ""},
		"529":                      {529, "overloaded_error", "Overloaded", prog.TryLater, true, ""},
		"401":                      {401, "", "", prog.Trouble, false, "key"},
		"402":                      {402, "", "", prog.Trouble, false, "credit"},
		"403 that says rate limit": {403, "rate_limit_error", "", prog.Trouble, false, "may not"},
		"404": {404, "not_found_error", "", prog.Trouble, false,
			"ua-think models"},
		"408":                     {408, "", "", prog.TryLater, true, ""},
		"409":                     {409, "", "", prog.TryLater, true, ""},
		"413":                     {413, "", "", prog.No, false, "too long"},
		"418":                     {418, "", "", prog.Trouble, false, ""},
		"422":                     {422, "", "", prog.Trouble, false, "--dry-run"},
		"429":                     {429, "rate_limit_error", "", prog.TryLater, true, "rate"},
		"429 for want of money":   {429, "insufficient_quota", "", prog.Trouble, false, "credit"},
		"in a stream, overloaded": {0, "overloaded_error", "", prog.TryLater, true, ""},
		"in a stream, rate limit": {0, "rate_limit_error", "", prog.TryLater, true, "rate"},
		"in a stream, the request": {0, "invalid_request_error", "", prog.Trouble, false,
			"--dry-run"},
		"in a stream, without a word":  {0, "", "", prog.TryLater, true, ""},
		"in a stream, the key expired": {0, "authentication_error", "", prog.Trouble, false, "key"},
	} {
		f := API("them", c.status, c.kind, c.text)
		if f.Status != c.exit || f.Retry != c.retry || !strings.Contains(f.Hint, c.hint) ||
			c.hint == "" && f.Hint != "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// FuzzText: whatever a server sends as an error is one bounded line of UTF-8.
func FuzzText(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"a\nb","type":"x"}}`))
	f.Add([]byte(`[{"error":{"message":"a"}}]`))
	f.Add([]byte("<html>\x00\xff</html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		text := Text(body)
		if len(text) > 2100 || strings.ContainsAny(text, "\r\n") ||
			strings.ToValidUTF8(text, "") != text {
			t.Errorf("%q", text)
		}
		API("them", 400, Kind(body), text)
	})
}
