package provider

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"ua/cmd/ua-think/internal/conversation"
	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// BenchmarkDeltaLatency is the time from the bytes of an event being there to
// its delta line being written.
func BenchmarkDeltaLatency(b *testing.B) {
	out := make(chan struct{}, 1)
	box := event.NewOutbox(signalled(out))
	defer box.Close(0)
	a := newAnswer(box)
	a.Limits.Text = 1 << 40
	pr, pw := io.Pipe()
	go model(b, "anthropic/m").Decode(pr, a)
	io.WriteString(pw, modeltest.SSE("content_block_start",
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`))
	line := []byte(modeltest.SSE("content_block_delta",
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}`))
	for b.Loop() {
		pw.Write(line)
		<-out
	}
}

// signalled tells of each write.
type signalled chan struct{}

func (s signalled) Write(b []byte) (int, error) {
	s <- struct{}{}
	return len(b), nil
}

// BenchmarkBody makes the request of turn 50.
func BenchmarkBody(b *testing.B) {
	lines := []string{`{"type":"run","id":"r"}`, `{"type":"instruction","text":"do"}`}
	for n := range 50 {
		lines = append(lines,
			fmt.Sprintf(`{"type":"tool_call","id":"c%d","name":"shell","input":{"command":"true"}}`, n),
			fmt.Sprintf(`{"type":"tool_result","call_id":"c%d","exit_code":0,"output":%q}`, n,
				strings.Repeat("a line of output\n", 20)),
			fmt.Sprintf(`{"type":"response","model":"anthropic/m","stop_reason":"tool_use",`+
				`"content":[{"type":"text","text":"Next"},{"type":"tool_use","id":"c%d","name":"shell",`+
				`"input":{"command":"true"}}]}`, n))
	}
	m := model(b, "anthropic/m")
	b.ReportAllocs()
	c := conversation.New("", false)
	for _, line := range lines {
		c.Add(line)
	}
	for b.Loop() {
		body, err := m.Encode(&Request{Talk: c.Now(), Thinking: -1, Size: len(strings.Join(lines, ""))})
		if err != nil || body.SHA256() == "" {
			b.Fatal(err)
		}
	}
}
