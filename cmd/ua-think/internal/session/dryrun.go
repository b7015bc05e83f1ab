package session

import (
	"encoding/json"
	"strings"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
)

// show prints the request that would be sent and the hash of its body. Of the headers it
// shows only those without a secret.
func (s *Session) show(m provider.Model, r *provider.Request) error {
	q, err := s.prepare(m, r)
	if err != nil {
		return s.give(nil, failure.From(err))
	}
	request := struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Model   string            `json:"model"`
		Headers map[string]string `json:"headers"`
		SHA256  string            `json:"request_sha256"`
		Body    any               `json:"body"`
	}{
		Method: "POST", Model: q.model.Spec(), SHA256: q.body.SHA256(), Body: string(q.body),
		Headers: map[string]string{"content-type": "application/json"},
	}
	if q.model.Base != "" {
		request.URL = q.model.URL()
		if v := q.model.Headers().Get("Anthropic-Version"); v != "" {
			request.Headers["anthropic-version"] = v
		}
	}
	if q.model.API != provider.Exec {
		request.Body = json.RawMessage(q.body)
	}
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(request); err != nil {
		return failure.Bug(err)
	}
	s.Out.Put([]byte(strings.TrimSuffix(line.String(), "\n")))
	return nil
}
