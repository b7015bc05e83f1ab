package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/sse"
	"ua/internal/common/prog"
	"ua/internal/common/prompt"
)

// A request is one question to a model, before a provider puts it in its form.
type request struct {
	o      *options
	talk   *conversation
	schema string // the JSON Schema of the answer, or ""
	lines  []string
	bytes  int // of lines: about how long the body gets
}

// A call is a request in a provider's form. Its body is a pure function of the
// conversation and the options.
type call struct {
	url    string
	header http.Header
	body   []byte
	decode func(io.Reader, *answer) error
	// play answers without HTTP; nil for the providers that speak it.
	play func(context.Context, *session, *answer) error
}

// prepare puts a request into the form of m's provider.
func prepare(m model, r *request) (call, error) {
	switch m.api {
	case "anthropic":
		return anthropic(m, r), nil
	case "openai-chat":
		return openaiChat(m, r), nil
	case "openai":
		return openaiResponses(m, r), nil
	case "ollama":
		return ollama(m, r), nil
	case "exec":
		return program(m, r), nil
	case "replay":
		return replay(m, r)
	}
	return call{}, prog.Errorf(prog.Trouble, "%s: unknown api %q", m.provider, m.api)
}

// limits bound what one answer may take, in bytes and time.
type limits struct {
	event int // one event of the stream, and the inputs of an answer's calls
	text  int // the text and thinking of an answer

	connect, idle, total time.Duration
	first                time.Duration // 0: by the server's place
	quiet                time.Duration // until a person is told that an answer has not begun
}

// toBegin is how long an answer of m may take to begin: a minute, or five where
// the server is on this machine and may have to load the model first.
func (l limits) toBegin(m model) time.Duration {
	if l.first > 0 {
		return l.first
	}
	if u, err := url.Parse(m.base); err == nil {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip.IsLoopback() {
			return 5 * time.Minute
		}
	}
	return time.Minute
}

func (r *request) size() int { return r.bytes + r.bytes/8 + 4<<10 }

// maxTokens is the bound on the answer's tokens, fallback unless one is given.
func (r *request) maxTokens(fallback int) int {
	n := r.o.maxTokens
	if n == 0 {
		n = fallback + max(r.o.thinking, 0)
	}
	return n
}

// tools is the tools to declare. A conversation that has calls must declare
// some even when no new call is wanted; then choice is "none".
func (r *request) tools() (list []gjson.Result, choice string) {
	text := r.talk.tools
	if text == "" && r.talk.called() {
		text, choice = prompt.Tools, "none"
	}
	for _, t := range gjson.Parse(text).Array() {
		if t.IsObject() && t.Get("name").Str != "" && t.Get("input_schema").IsObject() {
			list = append(list, t)
		}
	}
	return list, choice
}

func (c call) sha256() string {
	sum := sha256.Sum256(c.body)
	return hex.EncodeToString(sum[:])
}

// join is the URL of an API's path. A base that ends in the API's version has
// it already.
func join(base, version, path string) string {
	base = strings.TrimRight(base, "/")
	if strings.HasSuffix(base, version) {
		return base + path
	}
	return base + version + path
}

// pick3 is three members of a JSON object by name, found in one pass: an event of a
// stream is looked at once a word. Of duplicate keys the first counts.
func pick3(v gjson.Result, a, b, c string) (x, y, z gjson.Result) {
	v.ForEach(func(key, value gjson.Result) bool {
		switch {
		case key.Str == a && !x.Exists():
			x = value
		case key.Str == b && !y.Exists():
			y = value
		case key.Str == c && !z.Exists():
			z = value
		}
		return true
	})
	return x, y, z
}

// errDone ends a stream from inside: the API said that the answer is whole.
var errDone = errors.New("done")

// events feeds the events of a stream to a provider's decoder until it says
// that the answer is complete. A stream that ends before is an error.
func events(body io.Reader, a *answer, decode func(*answer, sse.Event, gjson.Result) error) error {
	r := sse.NewReader(body, a.limits.event)
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return ended(a)
		} else if err != nil {
			return streamFailure(err)
		}
		data := view(ev.Data)
		if !gjson.Valid(data) {
			switch {
			case data == "[DONE]":
				return ended(a)
			case ev.Cut:
				return cut(io.ErrUnexpectedEOF)
			}
			return cut(fmt.Errorf("an event of the stream is no JSON: %.60q", data))
		}
		if err := decode(a, ev, gjson.Parse(data)); err == errDone {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// ended judges the end of a stream: it is complete when the API gave a reason.
func ended(a *answer) error {
	if a.stop != "" {
		return nil
	}
	return cut(errors.New("the stream ended without a stop reason"))
}

func streamFailure(err error) *failure {
	var long sse.TooLong
	if errors.As(err, &long) {
		return &failure{msg: "an event of the model's stream is longer than " + size(int(long)), hint: "--max-event BYTES lifts the limit", status: prog.No}
	}
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return cut(err)
}

// size is a number of bytes for people.
func size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
