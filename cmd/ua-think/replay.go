package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// replay answers with the responses of a journal, in order: request N of a
// process gets response N of the file, or the one after those that the
// conversation holds already. With "?strict" behind the file's
// name it fails when the request's body is not the recorded one.
func replay(m model, r *request) (call, error) {
	path, strict := strings.CutSuffix(m.name, "?strict")
	return call{
		body: replayBody(r),
		play: func(_ context.Context, s *session, a *answer) error {
			n := max(s.answers, s.played)
			line, err := recorded(path, n)
			if err != nil {
				return err
			}
			s.played = n + 1
			rec := gjson.ParseBytes(line)
			a.sha = recordedCall(rec, s.cfg, r).sha256()
			if want := rec.Get("request_sha256").Str; strict && want != a.sha {
				return prog.Errorf(prog.No, "request %d differs from the recorded one: its hash is %s, recorded is %q", n+1, a.sha, want).
					Hintf("ua-think --dry-run shows the request")
			}
			return s.play(a, rec)
		},
	}, nil
}

func replayBody(r *request) []byte { return anthropicBody(model{name: "replay"}, r) }

// recordedCall is the request as the model of a recorded response would get it.
// A model that is not known here is taken for one of Anthropic.
func recordedCall(rec gjson.Result, cfg *settings, r *request) call {
	if m, err := resolve(rec.Get("model").Str, cfg); err == nil && m.base != "" {
		if k, err := prepare(m, r); err == nil {
			return k
		}
	}
	return call{body: replayBody(r)}
}

// recorded is response n, from 0, of a journal.
func recorded(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
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
			return nil, prog.Errorf(prog.Trouble, "%s holds %d responses: there is none for request %d", path, count, n+1)
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

// play writes a whole response as its stream would have come: deltas, calls,
// and the response itself.
func (s *session) play(a *answer, rec gjson.Result) error {
	for _, b := range rec.Get("content").Array() {
		switch b.Get("type").Str {
		case "text":
			if err := a.say(a.open("text"), b.Get("text")); err != nil {
				return err
			}
		case "thinking":
			if err := a.say(a.open("thinking"), b.Get("thinking")); err != nil {
				return err
			}
		case "tool_use":
			call := &block{kind: "tool_use", id: b.Get("id").Str, name: b.Get("name").Str}
			call.body.add([]byte(b.Get("input").Raw))
			a.close(call)
		}
	}
	if a.stop = rec.Get("stop_reason").Str; a.stop == "" {
		a.stop = "end_turn"
	}
	a.why = a.stop
	name := rec.Get("model").Str
	if name == "" {
		name = a.spec
	}
	e := event.New("response").Str("model", name).Str("stop_reason", a.stop)
	content := rec.Get("content").Raw
	if content == "" {
		content = "[]"
	}
	e.Raw("content", []byte(content))
	if u := rec.Get("usage").Raw; u != "" {
		e.Raw("usage", []byte(u))
	}
	a.recorded = e.Str("request_sha256", a.sha).Int("latency_ms", 0).Line()
	return nil
}
