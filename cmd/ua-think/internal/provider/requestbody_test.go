package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// long is a conversation with all that can stand in one.
func long(provider string) []string {
	png := `{"media_type":"image/png","data":"iVBORw0KGgo="}`
	pdf := `{"media_type":"application/pdf","name":"a.pdf","data":"JVBERi0="}`
	wav := `{"media_type":"audio/wav","name":"a.wav","data":"UklGRg=="}`
	thought := `{"type":"thinking","thinking":"hm \"x\"","signature":"sig-1"},` +
		`{"type":"redacted_thinking","data":"red-1"},` +
		`{"type":"provider","provider":"openai","item":{"id":"rs_1","type":"reasoning",` +
		`"summary":[],"encrypted_content":"sig-2"}}`
	return []string{
		`{"type":"run","id":"r1"}`, string(event.New("system").Str("text", "Be brief.").Raw("tools",
			[]byte(`[{"name":"shell","description":"d","input_schema":{"type":"object",`+
				`"properties":{"command":{"type":"string"}}}}]`)).Line()),
		`{"type":"instruction","text":"look at é😀","attachments":[` + png + `,` + pdf + `,` + wav +
			`,{"media_type":"text/plain","name":"n","text":"t"}]}`,
		`{"type":"tool_call","id":"c1","name":"shell","input":{"command":"a \"b\""}}`,
		`{"type":"tool_result","call_id":"c1","output":"o","exit_code":1,"media":[` + png + `]}`,
		`{"type":"tool_call","id":"c2","name":"shell","input":{}}`,
		`{"type":"response","model":"` + provider + `/m","stop_reason":"tool_use","content":[` +
			thought + `,{"type":"text","text":"I look","phase":"commentary"},` +
			`{"type":"tool_use","id":"c1","name":"shell","input":{"command":"a \"b\""}},` +
			`{"type":"tool_use","id":"c2","name":"shell","input":{}}]}`,
		`{"type":"message","text":"and be quick","from":"user"}`,
		`{"type":"response","model":"other/m","stop_reason":"interrupted","content":[` + thought +
			`,{"type":"text","text":"half"}]}`,
		`{"type":"response","model":"` + provider +
			`/m","stop_reason":"end_turn","content":[{"type":"text","text":"rest"}]}`,
		`{"type":"instruction","text":"thanks"}`,
	}
}

// TestOwnThoughtsOnly: signatures and sealed items go back to their provider
// alone.
func TestOwnThoughtsOnly(t *testing.T) {
	for api, want := range map[string]string{"anthropic": "sig-1 red-1", "openai": "sig-2",
		"openai-chat": "", "ollama": ""} {
		body := encode(t, model(t, api+"/m"), ask(long(api)...))
		var got []string
		for _, word := range []string{"sig-1", "red-1", "sig-2"} {
			if n := strings.Count(string(body), word); n > 1 {
				t.Errorf("%s: %s stands %d times", api, word, n)
			} else if n == 1 {
				got = append(got, word)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s\n%s", api, got, want, body)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(strings.Join(long("anthropic"), "\n"))
	f.Add(`{"type":"response","content":[{"type":"tool_use","id":"1","name":"n"}]}` + "\n" +
		`{"type":"checkpoint","text":"x"}` + "\n" + `{"type":"instruction","text":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		c := conversation.New("", false)
		r := event.NewReader(strings.NewReader(text))
		for {
			line, err := r.Next()
			if line == nil && err != nil {
				break
			}
			if err == nil {
				c.Add(strings.ToValidUTF8(string(line), "\ufffd"))
			}
		}
		talk := c.Now()
		if len(talk.Messages) == 0 {
			return
		}
		for _, api := range modeltest.APIs() {
			body, err := model(t, api+"/m").Encode(&Request{Talk: talk, Thinking: -1})
			if err != nil {
				if strings.Contains(err.Error(), "exceeded max depth") {
					return // of what an older journal may hold
				}
				t.Fatal(err)
			}
			if !json.Valid(body) {
				t.Fatalf("%s: %q", api, body)
			}
			checkTurns(t, body, api)
		}
	})
}

// checkTurns holds a body to the rules that no input may break.
func checkTurns(t *testing.T, body []byte, api string) {
	if api != "anthropic" {
		return
	}
	messages := gjson.GetBytes(body, "messages").Array()
	for i, m := range messages {
		role := []string{"user", "assistant"}[i%2]
		if m.Get("role").Str != role || len(m.Get("content").Array()) == 0 {
			t.Fatalf("message %d of %s", i, body)
		}
	}
	if len(messages)%2 == 0 {
		t.Fatalf("the user does not speak last in %s", body)
	}
}

// TestMedia: each API gets pictures where it takes them.
func TestMedia(t *testing.T) {
	lines := []string{
		`{"type":"instruction","text":"look"}`,
		`{"type":"tool_call","id":"c1","name":"shell","input":{}}`,
		`{"type":"tool_result","call_id":"c1","output":"","exit_code":0,` +
			`"media":[{"media_type":"image/png","data":"iVBORw0KGgo="},{"media_type":"audio/wav",` +
			`"data":"UklG"},{"media_type":"image/png","ref":"media/x.png"}]}`,
		`{"type":"response","content":[{"type":"tool_use","id":"c1","name":"shell","input":{}}]}`,
	}
	const gone, deaf = "[image/png is not at hand]", "[audio/wav can't be shown to this model]"
	for api, want := range map[string]map[string]string{
		"anthropic": {"messages.2.content.0.content.0.source.data": "iVBORw0KGgo=",
			"messages.2.content.0.content.1.text": deaf, "messages.2.content.0.content.2.text": gone},
		"openai": {"input.2.type": "function_call_output",
			"input.3.content.0.image_url": "data:image/png;base64,iVBORw0KGgo=",
			"input.3.content.1.text":      deaf, "input.3.content.2.text": gone},
		"openai-chat": {"messages.3.role": "tool",
			"messages.4.content.0.image_url.url":    "data:image/png;base64,iVBORw0KGgo=",
			"messages.4.content.1.input_audio.data": "UklG", "messages.4.content.2.text": gone},
		"ollama": {"messages.3.role": "tool", "messages.4.images.0": "iVBORw0KGgo=",
			"messages.4.content": deaf + "\n\n" + gone},
	} {
		body := encode(t, model(t, api+"/m"), ask(lines...))
		for path, text := range want {
			if got := gjson.GetBytes(body, path).String(); got != text {
				t.Errorf("%s: %s is %q, want %q\n%s", api, path, got, text,
					gjson.GetBytes(body, "messages").Raw)
			}
		}
	}
}

// TestThoughtKept: a budget for thinking is sent only with the thoughts that
// the answer before began with.
func TestThoughtKept(t *testing.T) {
	start, res := `{"type":"instruction","text":"go"}`,
		`{"type":"tool_result","call_id":"c","output":"x"}`
	said := func(model, first string) string {
		return `{"type":"response","model":"` + model + `","content":[` + first +
			`{"type":"tool_use","id":"c","name":"shell","input":{}}]}`
	}
	thought := `{"type":"thinking","thinking":"","signature":"sig-1"},`
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"a new question": {[]string{start}, true},
		"own thoughts":   {[]string{start, said("anthropic/m", thought), res}, true},
		"none":           {[]string{start, said("anthropic/m", ""), res}, false},
		"another's":      {[]string{start, said("openai/m", thought), res}, false},
		"a lost answer": {[]string{start, `{"type":"tool_call","id":"c","name":"shell","input":{}}`,
			res}, false},
		"sealed thoughts": {[]string{start,
			said("anthropic/m", `{"type":"redacted_thinking","data":"red-1"},`), res}, true},
	} {
		r := ask(c.lines...)
		r.Thinking = 2000
		body := encode(t, model(t, "anthropic/m"), r)
		if got := gjson.GetBytes(body, "thinking.budget_tokens").Exists(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
