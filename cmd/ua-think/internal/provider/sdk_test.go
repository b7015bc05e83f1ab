//go:build !lint

package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	sdkstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/openai/openai-go/v3"
	openaistream "github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// TestSDKTypes: the SDKs of the providers read what is sent, and know all of it.
func TestSDKTypes(t *testing.T) {
	for api, into := range map[string]func() any{
		"anthropic":   func() any { return new(sdk.MessageNewParams) },
		"openai":      func() any { return new(responses.ResponseNewParams) },
		"openai-chat": func() any { return new(openai.ChatCompletionNewParams) },
	} {
		for _, extra := range []func(*Request){
			func(*Request) {},
			func(r *Request) { r.Effort, r.MaxTokens = "low", 5000 },
			func(r *Request) {
				r.Thinking, r.Schema = 2000, `{"type":"object","properties":{"a":{"type":"string"}}}`
			},
			func(r *Request) { r.Thinking = 0 },
			func(r *Request) { r.Talk.Tools = "" },
		} {
			r := ask(long(api)...)
			extra(r)
			body := encode(t, model(t, api+"/m"), r)
			v := into()
			if err := json.Unmarshal(body, v); err != nil {
				t.Fatalf("%s: %v\n%s", api, err, body)
			}
			again, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var want, got map[string]any
			json.Unmarshal(body, &want)
			json.Unmarshal(again, &got)
			delete(want, "stream")
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s: the SDK reads\n%s\nwhere this was sent\n%s", api, again, body)
			}
		}
	}
}

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
				box := event.NewOutbox(io.Discard)
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
