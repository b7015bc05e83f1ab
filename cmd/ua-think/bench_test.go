package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	sdkstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/openai/openai-go/v3"
	openaistream "github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/tidwall/gjson"

	"ua/internal/common/scripttest"
)

// recordedStream is an answer as APIs stream them: 2,000 words of text a word
// at a time, and two calls in small pieces.
func recordedStream(api string) (text string, events int) {
	words := strings.Repeat("The quick brown fox, it's said, jumps over \"lazy\" dogs;\nthen naps. ", 167)
	pieces := stream(api, "tool_use",
		say{kind: "text", text: words, piece: 5},
		say{kind: "tool", id: "t1", text: `{"command":"` + strings.Repeat("grep -rn pattern . | head; ", 40) + `"}`, piece: 8},
		say{kind: "tool", id: "t2", text: `{"command":"ls -la"}`, piece: 8})
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
			m, _ := resolve(api+"/m", &settings{})
			o := defaults(&settings{})
			k, _ := prepare(m, &request{o: o, talk: &conversation{system: `""`, messages: []message{{parts: []part{{kind: "text", text: `"x"`}}}}}})
			for b.Loop() {
				box := newOutbox(io.Discard)
				a := &answer{out: box, limits: o.limits, ids: map[string]bool{}}
				if err := k.decode(strings.NewReader(text), a); err != nil {
					b.Fatal(err)
				}
				box.add(a.content()...)
				box.close(0)
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
	resp := &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(text))}
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
		s := openaistream.NewStream[responses.ResponseStreamEventUnion](openaistream.NewDecoder(resp), nil)
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
	box := newOutbox(signalled(out))
	defer box.close(0)
	a := &answer{out: box, limits: defaults(&settings{}).limits, ids: map[string]bool{}}
	a.limits.text = 1 << 40
	pr, pw := io.Pipe()
	go events(pr, a, (&anthropicStream{at: map[int64]*block{0: a.open("text")}}).event)
	line := []byte(sseEvent("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}`))
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
		lines = append(lines, fmt.Sprintf(`{"type":"tool_call","id":"c%d","name":"shell","input":{"command":"true"}}`, n),
			fmt.Sprintf(`{"type":"tool_result","call_id":"c%d","exit_code":0,"output":%q}`, n, strings.Repeat("a line of output\n", 20)),
			fmt.Sprintf(`{"type":"response","model":"anthropic/m","stop_reason":"tool_use","content":[{"type":"text","text":"Next"},{"type":"tool_use","id":"c%d","name":"shell","input":{"command":"true"}}]}`, n))
	}
	o := defaults(&settings{})
	m, _ := resolve("anthropic/m", &settings{})
	b.ReportAllocs()
	c := newConversation(o)
	for _, line := range lines {
		c.add(line)
	}
	for b.Loop() {
		k, err := prepare(m, &request{o: o, talk: c.now(), bytes: len(strings.Join(lines, ""))})
		if err != nil || k.sha256() == "" {
			b.Fatal(err)
		}
	}
}

// BenchmarkTurn is a whole turn over a kept connection on loopback: from the
// request to the last line out.
func BenchmarkTurn(b *testing.B) {
	f := newFake(b, func(n int, api string, _ gjson.Result) reply { return done(api) })
	m, _ := resolve("anthropic/m", &settings{})
	m.base, m.key = f.URL, secret
	o := defaults(&settings{})
	c := newClient(o.limits)
	box := newOutbox(io.Discard)
	defer box.close(0)
	r := &request{o: o, talk: converse([]string{`{"type":"instruction","text":"do"}`}, o)}
	for b.Loop() {
		k, _ := prepare(m, r)
		if err := c.do(b.Context(), m, k, &answer{out: box, limits: o.limits, ids: map[string]bool{}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart starts ua-think for one question: how long until the server
// reads the first byte of the request, and how long the whole run takes.
func BenchmarkStart(b *testing.B) {
	arrived := make(chan time.Time, 1)
	f := newFake(b, func(n int, api string, _ gjson.Result) reply {
		arrived <- time.Now()
		return done(api)
	})
	f.use(b)
	bin := filepath.Join(scripttest.Bin(b), "ua-think")
	var first time.Duration
	for b.Loop() {
		cmd := exec.Command(bin, "--model", "anthropic/claude-sonnet-5-5", "hello")
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		first += (<-arrived).Sub(start)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(first.Microseconds())/float64(b.N)/1e3, "ms-to-request")
}

// BenchmarkMemory is the peak resident memory of a run with a 10 MiB answer of
// words, and of one with a short answer.
func BenchmarkMemory(b *testing.B) {
	for name, says := range map[string]say{
		"short": {kind: "text", text: "Done."},
		"10MiB": {kind: "text", text: strings.Repeat("some words, ", 10<<20/12), piece: 12},
	} {
		b.Run(name, func(b *testing.B) {
			pieces := []string{strings.Join(anthropicEvents("end_turn", []say{says}), "")}
			f := newFake(b, func(n int, api string, _ gjson.Result) reply { return reply{pieces: pieces} })
			f.use(b)
			peak := 0
			for b.Loop() {
				cmd := exec.Command(filepath.Join(scripttest.Bin(b), "ua-think"), "--model", "anthropic/claude-sonnet-5-5", "hello")
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				for running := true; running; {
					peak = max(peak, highWater(cmd.Process.Pid))
					select {
					case err := <-ended:
						if running = false; err != nil {
							b.Fatal(err)
						}
					case <-time.After(2 * time.Millisecond):
					}
				}
			}
			b.ReportMetric(float64(peak)/1024, "MiB-peak")
		})
	}
}

// highWater is the most memory, in KiB, that a process has had so far. The
// kernel's own count at its end holds what it was before its exec, too.
func highWater(pid int) (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(rest, &kib)
	return kib
}
