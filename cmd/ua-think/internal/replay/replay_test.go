package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/event"
)

const journal = `{"type":"run","id":"a"}
{"type":"response","model":"anthropic/m","content":[{"type":"thinking","thinking":"hm",` +
	`"signature":"s"},{"type":"text","text":"I ` +
	`look"},{"type":"tool_use","id":"c1","name":"shell","input":{"command":"ls"}}],` +
	`"stop_reason":"tool_use","usage":{"input":3,"output":4}}
no event
{"type":"tool_result","call_id":"c1"}
{"type":"response","content":[{"type":"text","text":"done"}]}
{"type":"response","model":"replay:x"}
{"type":"response","torn
`

// recorded writes a journal and returns its path.
func recorded(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// play plays response n and returns what left and the response event.
func play(t *testing.T, name string, n int) (out string, response gjson.Result, err error) {
	rec, err := Find(name, n)
	if err != nil {
		return "", response, err
	}
	talk := conversation.New("", false)
	talk.Add(`{"type":"instruction","text":"do"}`)
	body, err := rec.Body(&settings.Settings{}, &provider.Request{Talk: talk.Now(), Thinking: -1})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	a := &answer.Answer{Out: event.NewOutbox(&text), Limits: answer.Limits{Event: 1000, Text: 1000},
		IDs: map[string]bool{"c1": true}}
	line, err := rec.Play(a, "replay:x", body)
	a.Out.Close(0)
	if err != nil {
		return "", gjson.Result{}, err
	}
	return text.String(), gjson.ParseBytes(line()), nil
}

// TestPlay plays the responses of a journal one after the other.
func TestPlay(t *testing.T) {
	path := recorded(t, journal)
	for n, c := range []struct{ events, text, model, stop, usage, content string }{
		{"delta tool_call delta", "hmI look", "anthropic/m", "tool_use", `{"input":3,"output":4}`, "3"},
		{"delta", "done", "replay:x", "end_turn", "", "1"},
		{"", "", "replay:x", "end_turn", "", "0"},
	} {
		out, response, err := play(t, path, n)
		var types []string
		said := ""
		for line := range strings.Lines(out) {
			types = append(types, gjson.Get(line, "type").Str)
			said += gjson.Get(line, "text").Str
			if id := gjson.Get(line, "id"); id.Exists() && id.Str != "c1" {
				t.Errorf("%d: the call has another id: %s", n, line)
			}
		}
		if err != nil || strings.Join(slices.Compact(types), " ") != c.events || said != c.text {
			t.Errorf("%d: %v\n%s", n, err, out)
		}
		if response.Get("model").Str != c.model || response.Get("stop_reason").Str != c.stop ||
			response.Get("usage").Raw != c.usage || response.Get("content.#").Raw != c.content ||
			!response.Get("replay").Bool() || len(response.Get("request_sha256").Str) != 64 {
			t.Errorf("%d: %s", n, response.Raw)
		}
	}
	if _, _, err := play(t, path, 3); err == nil || !strings.Contains(err.Error(),
		"holds 3 responses: there is none for request 4") {
		t.Errorf("behind the end: %v", err)
	}
	if _, _, err := play(t, path+".none", 0); err == nil || !strings.Contains(err.Error(),
		"no such file") {
		t.Errorf("no file: %v", err)
	}
}

// TestStrict: with ?strict the request has to be the recorded one.
func TestStrict(t *testing.T) {
	path := recorded(t, journal)
	_, response, err := play(t, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	sha := response.Get("request_sha256").Str
	for hash, wrong := range map[string]string{sha: "", strings.Repeat("0", 64): "request 1 differs",
		"": "request 1 differs"} {
		again := strings.Replace(journal, `"response","model"`,
			`"response","request_sha256":"`+hash+`","model"`, 1)
		_, _, err := play(t, recorded(t, again)+"?strict", 0)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", hash, err)
		}
	}
}
