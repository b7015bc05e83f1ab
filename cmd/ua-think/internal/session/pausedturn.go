package session

import (
	"context"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/provider"
)

// mostPauses is how often one turn may pause.
const mostPauses = 10

// goOn continues a turn that the provider has paused: what was said goes back, as long as the
// answer grows. err is that of the first request.
func (s *Session) goOn(
	ctx context.Context, m provider.Model, r *provider.Request, a *reply, q *question, err error,
) error {
	said := "[]"
	for range mostPauses {
		if err != nil || a.Stop != answer.Pause {
			return err
		}
		now := string(a.Content())
		if now == said {
			return nil
		}
		said = now
		spent := s.spent
		s.spent.Add(a.Usage)
		err = s.afford(q)
		if s.spent = spent; err != nil {
			return err
		}
		next := *r
		next.Talk = r.Talk.Paused(said, a.spec)
		var body provider.Body
		if body, err = m.Encode(&next); err != nil {
			return err
		}
		used := a.GoOn()
		err = s.Client.Ask(ctx, m, body, a.Answer)
		a.Usage.Add(used)
	}
	return err
}
