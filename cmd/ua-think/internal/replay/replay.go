// Package replay answers with the responses recorded in a journal, in order: a model that
// costs nothing and always says the same.
package replay

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

// A Recording is one response of a journal. With "?strict" after the file's name, Play
// fails if the request is not the recorded one.
type Recording struct {
	n      int
	strict bool
	event  gjson.Result
}

// Find returns response n, counted from 0, in the file that a replay model is named
// after.
func Find(name string, n int) (*Recording, error) {
	path, strict := strings.CutSuffix(name, "?strict")
	line, err := response(path, n)
	if err != nil {
		return nil, err
	}
	return &Recording{n, strict, gjson.ParseBytes(line)}, nil
}

// Body returns r as the model of the recorded response would be asked. A model that is
// not known here is treated as one of Anthropic.
func (rec *Recording) Body(cfg *settings.Settings, r *provider.Request) (provider.Body, error) {
	if m, err := provider.Resolve(rec.event.Get("model").Str, cfg); err == nil && m.Base != "" {
		return m.Encode(r)
	}
	return provider.Model{API: provider.Replay}.Encode(r)
}

// Play feeds the response to a as its stream would have arrived, and returns what writes the
// response event. body is the request, whose hash becomes that of the event. spec is the
// model that was asked; one named in the recording replaces it.
func (rec *Recording) Play(
	a *answer.Answer, spec string, body provider.Body,
) (func() []byte, error) {
	sha := body.SHA256()
	// A strict replay is a test that the requests are still the same bytes.
	if want := rec.event.Get("request_sha256").Str; rec.strict && want != sha {
		return nil, prog.Errorf(prog.No,
			"request %d differs from the recorded one: its hash is %s, recorded is %q",
			rec.n+1, sha, want).Hintf("ua-think --dry-run shows the request")
	}
	for _, b := range rec.event.Get("content").Array() {
		if err := say(a, b); err != nil {
			return nil, err
		}
	}
	a.Ended(cmp.Or(rec.event.Get("stop_reason").Str, answer.EndTurn))
	a.Finish()
	return func() []byte { return rec.response(a, spec, sha) }, nil
}

// response returns the event of the response.
func (rec *Recording) response(a *answer.Answer, spec, sha string) []byte {
	e := event.New("response").Str("model", cmp.Or(rec.event.Get("model").Str, spec)).
		Str("stop_reason", a.Stop)
	content := rec.event.Get("content").Raw
	if content == "" {
		content = "[]"
	}
	e.Raw("content", []byte(content))
	if u := rec.event.Get("usage").Raw; u != "" {
		e.Raw("usage", []byte(u))
	}
	return e.Bool("replay", true).Str("request_sha256", sha).Int("latency_ms", 0).Line()
}

// say feeds one block of a response.
func say(a *answer.Answer, b gjson.Result) error {
	switch b.Get("type").Str {
	case "text":
		return a.Say(a.Open(answer.Text), b.Get("text"))
	case "thinking":
		return a.Say(a.Open(answer.Thinking), b.Get("thinking"))
	case "tool_use":
		a.Recorded(b.Get("id").Str, b.Get("name").Str, b.Get("input").Raw)
	}
	return nil
}

// response returns response n, counted from 0, of a journal. Broken lines are skipped.
func response(path string, n int) ([]byte, error) {
	f, err := safefile.Named(path)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", path, err.(*os.PathError).Err)
	}
	defer f.Close()
	r := event.NewReader(f)
	for count := 0; ; {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil, prog.Errorf(prog.Trouble,
				"%s holds %d responses: there is none for request %d", path, count, n+1)
		case errors.As(err, &bad):
			continue
		case err != nil:
			return nil, err
		case event.Type(line) != "response":
			continue
		}
		if count == n {
			return bytes.Clone(line), nil
		}
		count++
	}
}
