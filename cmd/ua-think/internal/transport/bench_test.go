package transport

import (
	"io"
	"testing"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// BenchmarkTurn is a whole turn over a kept connection on loopback: from the
// request to the last line out.
func BenchmarkTurn(b *testing.B) {
	f := modeltest.NewServer(b, modeltest.Always(modeltest.Done))
	m, err := provider.Connect("anthropic", "m", &settings.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	m.Base, m.Key = f.URL, modeltest.Secret
	c := New(Limits{Connect: time.Second, Idle: time.Minute, Total: time.Minute})
	box := event.NewOutbox(io.Discard)
	defer box.Close(0)
	talk := conversation.New("", false)
	talk.Add(`{"type":"instruction","text":"do"}`)
	r := &provider.Request{Talk: talk.Now(), Thinking: -1}
	for b.Loop() {
		body, err := m.Encode(r)
		if err != nil {
			b.Fatal(err)
		}
		a := &answer.Answer{Out: box, Limits: answer.Limits{Event: 1 << 20, Text: 1 << 20},
			IDs: map[string]bool{}}
		if err := c.Ask(b.Context(), m, body, a); err != nil {
			b.Fatal(err)
		}
	}
}
