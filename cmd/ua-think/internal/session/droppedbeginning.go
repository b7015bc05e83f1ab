package session

// compare warns once when a server counts far fewer tokens in a request than were sent.
// Some servers silently drop the beginning of a conversation that is longer than the
// context with which they run the model. Anthropic's refuses such a request.
func (s *Session) compare(q *question, a *reply) {
	got := int(a.Usage.Prompt())
	if q.model.Strict() || s.warned[a.spec] || !a.paid {
		return
	}
	if got == 0 || q.tokens < fewTokens || got > q.tokens/3 {
		return
	}
	s.warned[a.spec] = true
	s.Note("%s read %d tokens of a conversation of about %d: its beginning may be lost "+
		"(a larger context on the server, or --context-tokens, helps)", q.model.Spec(), got, q.tokens)
}
