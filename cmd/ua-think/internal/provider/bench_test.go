package provider

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	sdkstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/openai/openai-go/v3"
	openaistream "github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"ua/cmd/ua-think/internal/conversation"
	"ua/internal/common/outbox"
	"ua/internal/test/modeltest"
)

// recordedStream is an answer as APIs stream them: 2,000 words of text a word
// at a time, and two calls in small pieces.
func recordedStream(api string) (text string, events int) {
	words := strings.Repeat("The quick brown fox, it's said, jumps over \"lazy\" dogs;\nthen naps. ",
		167)
	pieces := modeltest.Stream(api, "tool_use",
		modeltest.Say{Kind: "text", Text: words, Piece: 5},
		modeltest.Say{Kind: "tool", ID: "t1",
			Text: `{"command":"` + strings.Repeat("grep -rn pattern . | head; ", 40) + `"}`, Piece: 8},
		modeltest.Say{Kind: "tool", ID: "t2", Text: `{"command":"ls -la"}`, Piece: 8})
	return strings.Join(pieces, ""), len(pieces)
}

// perEvent reports what one event of a stream took.
func perEvent(b *testing.B, events int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
	b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkDecode reads the same stream with ua-think, which also gathers the
// answer and writes each delta as a line, and with the provider's SDK, which
// here only decodes.
func BenchmarkDecode(b *testing.B) {
	for _, api := range []string{"anthropic", "openai", "openai-chat"} {
		text, events := recordedStream(api)
		b.Run(api+"/ua-think", func(b *testing.B) {
			b.ReportAllocs()
			m := model(b, api+"/m")
			for b.Loop() {
				box := outbox.New(io.Discard)
				a := newAnswer(box)
				if err := m.Decode(strings.NewReader(text), a); err != nil {
					b.Fatal(err)
				}
				box.Put(a.Content())
				box.Close(0)
			}
			perEvent(b, events)
		})
		b.Run(api+"/sdk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := sdkDecode(b, api, text); n == 0 {
					b.Fatal("nothing read")
				}
			}
			perEvent(b, events)
		})
	}
}

// sdkDecode reads a stream with an SDK and returns how much text came.
func sdkDecode(b *testing.B, api, text string) (n int) {
	resp := &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(text))}
	switch api {
	case "anthropic":
		s := sdkstream.NewStream[sdk.MessageStreamEventUnion](sdkstream.NewDecoder(resp), nil)
		for s.Next() {
			n += len(s.Current().Delta.Text)
		}
		if err := s.Err(); err != nil {
			b.Fatal(err)
		}
	case "openai":
		s := openaistream.NewStream[responses.ResponseStreamEventUnion](openaistream.NewDecoder(resp),
			nil)
		for s.Next() {
			n += len(s.Current().Delta)
		}
		if err := s.Err(); err != nil {
			b.Fatal(err)
		}
	default:
		s := openaistream.NewStream[openai.ChatCompletionChunk](openaistream.NewDecoder(resp), nil)
		for s.Next() {
			if c := s.Current().Choices; len(c) > 0 {
				n += len(c[0].Delta.Content)
			}
		}
		if err := s.Err(); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// BenchmarkDeltaLatency is the time from the bytes of an event being there to
// its delta line being written.
func BenchmarkDeltaLatency(b *testing.B) {
	out := make(chan struct{}, 1)
	box := outbox.New(signalled(out))
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
