package session

import (
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/replay"
)

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
