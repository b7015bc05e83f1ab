package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/program"
	"ua/cmd/ua-think/internal/provider"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// ask asks the first of the models that answers. A nil error means that an answer was
// written; s.outcome says whether it is a good one. The next model is asked only while
// nothing of an answer was shown and the failure may pass.
func (s *Session) ask(ctx context.Context) error {
	talk := s.talk.Now()
	if len(talk.Messages) == 0 {
		return s.give(nil, &failure.Failure{
			Msg: "there is nothing to ask: no instruction came", Status: prog.Trouble,
		})
	}
	// talk is a copy, so the conversation itself stays whole.
	if left := talk.Cut(s.Options.ContextTokens); left != "" {
		s.Note("to keep the request within %d tokens, the model is not sent %s",
			s.Options.ContextTokens, left)
	}
	r := &provider.Request{
		Talk: talk, Schema: s.Options.Schema, Effort: s.Options.Effort, Thinking: s.Options.Thinking,
		MaxTokens: s.Options.MaxTokens, ContextTokens: s.Options.ContextTokens, Size: s.bytes +
			s.bytes/8,
		Memo: &s.memo,
	}
	var last *failure.Failure
	for i, m := range s.Models {
		var err error
		if i > 0 {
			s.Note("asking %s instead", m.Spec())
			if last.Usage.Tokens() > 0 {
				s.tell(last)
			}
			if m, err = m.Unlock(s.Config); err != nil {
				return s.give(nil, failure.From(err))
			}
		}
		m = s.checkVision(ctx, m, r)
		q, err := s.prepare(m, r)
		if err == nil && s.Options.DryRun {
			return s.show(q)
		}
		if err == nil {
			err = s.afford(q)
		}
		if err != nil {
			return s.give(nil, failure.From(err))
		}
		a, f := s.try(ctx, q)
		// Once part of an answer is out, another model cannot take over.
		if f == nil || a != nil && a.Began || !f.Retry {
			return s.give(a, f)
		}
		last = f
	}
	return s.give(nil, last)
}

// checkVision asks m's server whether m accepts images, if the request has any. A model
// that does not is told of the images in words, and so is the user. The answer is
// remembered.
func (s *Session) checkVision(
	ctx context.Context, m provider.Model, r *provider.Request,
) provider.Model {
	url, body := m.VisionQuery()
	if url == "" || s.Options.DryRun || !r.HasImages() {
		return m
	}
	has, known := s.vision[m.Spec()]
	if !known {
		told, err := s.Client.Fetch(ctx, m, url, body)
		has = err != nil || m.HasVision(told) // a server that does not tell is asked
		if s.vision[m.Spec()] = has; !has {
			s.Note("%s takes no images: it is told of them instead", m.Spec())
		}
	}
	m.Blind = m.Blind || !has
	return m
}

// prepare puts a request into the form of its source: a provider, a recording or a
// program.
func (s *Session) prepare(m provider.Model, r *provider.Request) (*question, error) {
	q := &question{model: m, tokens: r.Talk.Tokens()}
	var err error
	switch m.API {
	case provider.Exec:
		q.body = provider.Body(strings.Join(s.lines, "\n") + "\n")
		q.ask = func(ctx context.Context, a *reply) error {
			return program.Ask(ctx, m.Name, q.body, s.Client.Limits.Total, s.Stderr, a.Answer)
		}
	case provider.Replay:
		q.body, err = m.Encode(r)
		q.ask = func(_ context.Context, a *reply) error { return s.replay(m, r, a) }
	default:
		q.body, err = m.Encode(r)
		q.ask = func(ctx context.Context, a *reply) error {
			a.paid = true
			s.priceOf(a.spec)
			return s.Client.Ask(ctx, m.ForRun(s.talk.Run), q.body, a.Answer)
		}
	}
	return q, err
}

// respond writes the response event. For the stages that follow it means that no call of
// this answer is still to come.
func (s *Session) respond(a *reply) {
	if a.recorded != nil {
		s.Out.Add(a.recorded)
		return
	}
	if a.Stop != "interrupted" {
		// Blocks of an answer that was interrupted stay open, and only their text is
		// kept.
		a.CloseAll()
	}
	e := event.New("response").Str("model", a.spec)
	if a.Model != "" && !strings.HasSuffix(a.spec, "/"+a.Model) {
		e.Str("served_by", a.Model)
	}
	s.price(a)
	head := e.Str("stop_reason", a.Stop).Raw("content", nil).Line()
	// The content, in pieces, stands between.
	tail := fmt.Appendf(nil, `,"usage":%s,"request_sha256":"%s","latency_ms":%d}`, a.Usage.JSON(),
		a.sha, time.Since(a.start).Milliseconds())
	s.Out.Add(append(append([][]byte{head[:len(head)-1]}, a.Content()...), tail)...)
}
