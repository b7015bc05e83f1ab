package session

import (
	"context"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/execmodel"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/replay"
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
			Msg: "nothing to ask: there is no instruction", Status: prog.Trouble,
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
	}
	var last *failure.Failure
	for i, m := range s.Models {
		var err error
		if i > 0 {
			s.Note("asking %s instead", m.Spec())
			if last.Usage.Tokens() > 0 {
				s.Out.Put(last.Event())
			}
			if m, err = m.Unlock(s.Config); err != nil {
				return s.give(nil, failure.From(err))
			}
		}
		if s.Options.DryRun {
			return s.show(m, r)
		}
		a, f := s.one(ctx, m, r)
		// Once part of an answer is out, another model cannot take over.
		if f == nil || a != nil && a.Began || !f.Retry {
			return s.give(a, f)
		}
		last = f
	}
	return s.give(nil, last)
}

// one asks one model. A member of a request that its server does not know, and that it can do
// without or have under another name, is not sent again.
func (s *Session) one(
	ctx context.Context, m provider.Model, r *provider.Request,
) (*reply, *failure.Failure) {
	for m = s.checkVision(ctx, m, r); ; {
		m.Refused = s.refused[m.Spec()]
		q, err := s.prepare(m, r)
		if err == nil {
			err = s.afford(q)
		}
		if err != nil {
			return nil, failure.From(err)
		}
		a, f := s.try(ctx, q)
		if f == nil {
			return a, nil
		}
		member := m.Refusable(q.body, f)
		if member == "" {
			return a, f
		}
		s.refused[m.Spec()] = append(m.Refused, member)
		s.Note("%s does not take %s: it is asked again without", m.Spec(), member)
	}
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
	q := &question{model: m, tokens: r.Talk.Tokens(), answer: r.MaxTokens, thinking: r.Thinking}
	var err error
	switch m.API {
	case provider.Exec:
		q.body = provider.Body(strings.Join(s.lines, "\n") + "\n")
		q.ask = func(ctx context.Context, a *reply) error {
			return execmodel.Ask(ctx, m.Name, q.body, s.Client.Limits.Total, s.Stderr, a.Answer)
		}
	case provider.Replay:
		q.body, err = m.Encode(r)
		q.ask = func(_ context.Context, a *reply) error { return s.replay(m, r, a) }
	default:
		q.body, err = m.Encode(r)
		q.bound = func(tokens int) (err error) {
			less := *r
			less.MaxTokens = tokens
			q.body, err = m.Encode(&less)
			return err
		}
		q.ask = func(ctx context.Context, a *reply) error {
			a.paid = true
			s.priceOf(a.spec)
			return s.goOn(ctx, m, r, a, q, s.Client.Ask(ctx, m, q.body, a.Answer))
		}
	}
	return q, err
}

// respond writes the response event. For the stages that follow it means that no call of
// this answer is still to come.
func (s *Session) respond(a *reply) {
	if a.recorded != nil {
		s.Out.Put(a.recorded())
		return
	}
	a.Settle() // what an answer that broke off has left open: only its text is kept
	e := event.New("response").Str("model", a.spec)
	if a.Model != "" && !strings.HasSuffix(a.spec, "/"+a.Model) {
		e.Str("served_by", a.Model)
	}
	s.price(a)
	s.Out.Put(e.Str("stop_reason", a.Stop).Raw("content", a.Content()).Raw("usage", a.Usage.JSON()).
		Str("request_sha256", a.sha).Int("latency_ms", time.Since(a.start).Milliseconds()).Line())
}

// replay answers with a recording. Request N of this process gets response N of the file,
// or the one after those that the conversation already contains.
func (s *Session) replay(m provider.Model, r *provider.Request, a *reply) error {
	n := max(s.answers, s.played)
	rec, err := replay.Find(m.Name, n)
	if err != nil {
		return err
	}
	s.played = n + 1
	body, err := rec.Body(s.Config, r)
	if err != nil {
		return err
	}
	a.recorded, err = rec.Play(a.Answer, a.spec, body)
	return err
}
