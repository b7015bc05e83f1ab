package httpgateway

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// A refusal says why a request is not passed on.
type refusal struct {
	status int // HTTP
	name   string
	msg    string
}

// refuse returns a refusal with a message for people.
func refuse(status int, name, format string, a ...any) *refusal {
	return &refusal{status, name, fmt.Sprintf(format, a...)}
}

// write sends the refusal in a form that clients of every API take for an error, with
// Anthropic's word for it, and says whether another try may help.
func (r *refusal) write(w http.ResponseWriter) {
	types := map[int]string{400: "invalid_request_error", 401: "authentication_error",
		402: "billing_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 502: "api_error", 503: "api_error"}
	text, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{
		"type": types[r.status], "code": r.name, "message": r.msg}}) // strings always encode
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Ua-Refused", r.name)
	if r.status < 429 {
		h.Set("X-Should-Retry", "false")
	}
	w.WriteHeader(r.status)
	w.Write(append(text, '\n'))
}
